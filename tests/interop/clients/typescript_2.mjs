// The TypeScript SDK since 2.0; the third argument says which eras it may speak.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { address, visit } from './visit.mjs'

const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: process.argv[4] } })
await client.connect(new StreamableHTTPClientTransport(address))
await visit(client, process.env.CLIENT_VERSION, client.getNegotiatedProtocolVersion())
