// A tool that is served by the official MCP package for TypeScript, on stdin and stdout.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'letters', version: '1' })
server.registerTool(
  'count_letters',
  { description: 'Counts the letters of a text.', inputSchema: { text: z.string() } },
  async ({ text }) => ({ content: [{ type: 'text', text: String(text.length) }] })
)
await server.connect(new StdioServerTransport())
