// The TypeScript SDK before 2.0.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { address, completion, options, visit } from './visit.mjs'

const client = new Client({ name: 'interop', version: '1' }, { capabilities: { sampling: {} } })
client.setRequestHandler(CreateMessageRequestSchema, async () => completion)
const transport = new StreamableHTTPClientTransport(address, options)
await client.connect(transport)
await visit(client, process.env.CLIENT_VERSION, transport.protocolVersion)
