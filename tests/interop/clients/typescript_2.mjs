// The TypeScript SDK since 2.0; the third argument says which eras it may speak.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { address, completion, options as sending, visit } from './visit.mjs'

const options = { capabilities: { sampling: {} }, versionNegotiation: { mode: process.argv[4] } }
const client = new Client({ name: 'interop', version: '1' }, options)
client.setRequestHandler('sampling/createMessage', async () => completion)
await client.connect(new StreamableHTTPClientTransport(address, sending))
await visit(client, process.env.CLIENT_VERSION, client.getNegotiatedProtocolVersion())
