// What both TypeScript clients do with the server: the same as visit.py. Prints one JSON object.

const [url, question] = process.argv.slice(2, 4)

const asResult = found => ({
  text: found.content.map(block => block.text ?? block.uri ?? '').join('\n'),
  structured: found.structuredContent ?? null,
  is_error: found.isError ?? false,
})

export const address = new URL(url)

const token = process.env.CITEMARK_TOKEN
export const options = { requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } }

// What the model of the client says when it is asked.
export const completion = {
  role: 'assistant', model: 'scripted', content: { type: 'text', text: 'Use citric acid [1].' },
}

export async function visit(client, version, protocol) {
  const call = async (name, args) => asResult(await client.callTool({ name, arguments: args }))
  const tools = (await client.listTools()).tools.map(tool => tool.name)
  const search = await call('kb_search', { query: question })
  const evidence = await call('kb_retrieve_evidence', { question })
  const [uri] = JSON.stringify(search).match(/citemark:\/\/scratch\/[\w-]+\/[\w-]+/)
  const scratch = (await client.readResource({ uri })).contents[0].text
  const error = await call('kb_search', { query: question, top_k: 99 })
  const answer = await call('kb_answer', { question })
  console.log(JSON.stringify({ version, protocol, tools, search, evidence, scratch, error, answer }))
  await client.close()
}
