// The official MCP packages for TypeScript, of both generations, over HTTP and over stdio.
import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'

const [url, keyA, keyB, binary, folder] = process.argv.slice(2)
const info = { name: 'check', version: '1' }

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`)
  return result.structuredContent
}

function id(handed) {
  return handed.handoff.handoff_id
}

let stories = 0

async function story(ann, bob) {
  // Every host begins so; from then on its agent is known.
  await bob.listTools()
  const names = (await ann.listTools()).tools.map(tool => tool.name)
  assert.ok(names.includes('handoff_to_specialist'), names.join())
  const handed = await call(ann, 'handoff_to_specialist', { task: `Review the change ${++stories}`, to_agent: 'bob', wait_seconds: 0 })
  const inbox = await call(bob, 'check_inbox', { wait_seconds: 20 })
  assert.ok(inbox.offers.some(offer => offer.handoff_id === id(handed)), JSON.stringify(inbox))
  await call(bob, 'accept_handoff', { handoff_id: id(handed) })
  await call(bob, 'complete_handoff', { handoff_id: id(handed), result: 'Looks good' })
  const status = await call(ann, 'handoff_status', { handoff_id: id(handed), wait_seconds: 20 })
  assert.ok(JSON.stringify(status).includes('Looks good'), JSON.stringify(status))
  assert.ok((await ann.listResourceTemplates()).resourceTemplates.length > 0)
  const read = await ann.readResource({ uri: `handover://handoffs/${id(handed)}` })
  assert.ok(JSON.stringify(read).includes('Review the change'))
  const prompt = await ann.getPrompt({ name: 'specialist_guidance' })
  assert.ok(prompt.messages.length > 0)
  const bad = await ann.callTool({ name: 'handoff_status', arguments: { handoff_id: 'nothing' } })
  assert.ok(bad.isError)
}

async function connected(client, transport) {
  await client.connect(transport)
  return client
}

// Which revision is spoken is asked for, and looked at.
const current = { versionNegotiation: { mode: { pin: '2026-07-28' } } }

async function speaks(client, version) {
  assert.equal(client.getNegotiatedProtocolVersion(), version)
  return client
}

const header = key => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } })
const stdio = agent => ({ command: binary, args: ['mcp', '--agent', agent], cwd: folder, stderr: 'inherit' })

async function pair(make) {
  const both = [await make('ann', keyA), await make('bob', keyB)]
  await story(...both)
  await Promise.all(both.map(client => client.close()))
}

const http = key => new StreamableHTTPClientTransport(new URL(url + '/mcp'), header(key))
await pair(async (_, key) => speaks(await connected(new Client(info, current), http(key)), '2026-07-28'))
await pair(async (_, key) => speaks(await connected(new Client(info), http(key)), '2025-11-25'))
await pair((_, key) => connected(new OldClient(info), new OldHttp(new URL(url + '/mcp'), header(key))))
await pair(async agent => speaks(await connected(new Client(info, current), new StdioClientTransport(stdio(agent))), '2026-07-28'))
await pair(agent => connected(new OldClient(info), new OldStdio(stdio(agent))))
console.log('TypeScript: both generations and both revisions, over HTTP and stdio')
