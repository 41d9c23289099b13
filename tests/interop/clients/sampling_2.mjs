// The TypeScript SDK since 2.0, with a model, over stdio; the third argument says which eras it may speak.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const { command, env, question, says } = JSON.parse(process.argv[2])
const options = { capabilities: { sampling: {} }, versionNegotiation: { mode: process.argv[3] } }
const client = new Client({ name: 'interop', version: '1' }, options)
client.setRequestHandler('sampling/createMessage', async () => ({
  role: 'assistant', model: 'scripted', content: { type: 'text', text: says },
}))
const [program, ...args] = command
await client.connect(new StdioClientTransport({ command: program, args, env, stderr: 'ignore' }))
await client.listTools()
const found = await client.callTool({ name: 'kb_answer', arguments: { question } })
console.log(JSON.stringify(found.structuredContent))
await client.close()
