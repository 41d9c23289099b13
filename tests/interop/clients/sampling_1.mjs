// The TypeScript SDK before 2.0, with a model, over stdio: asks one question, prints the result as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { command, env, question, says } = JSON.parse(process.argv[2])
const client = new Client({ name: 'interop', version: '1' }, { capabilities: { sampling: {} } })
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  role: 'assistant', model: 'scripted', content: { type: 'text', text: says },
}))
const [program, ...args] = command
await client.connect(new StdioClientTransport({ command: program, args, env, stderr: 'ignore' }))
await client.listTools()
const found = await client.callTool({ name: 'kb_answer', arguments: { question } })
console.log(JSON.stringify(found.structuredContent))
await client.close()
