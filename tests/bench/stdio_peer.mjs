// SPDX-License-Identifier: Apache-2.0
// An MCP server with one echo tool, made with version 1 of the TypeScript SDK: the peer of
// stdio_bench. Needs the packages of tests/mcp_clients.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'echo', version: '1.0.0' });
const definition = { description: 'Echoes a text.', inputSchema: { text: z.string() } };
server.registerTool('echo_text', definition, async ({ text }) => ({ content: [{ type: 'text', text }] }));
await server.connect(new StdioServerTransport());
