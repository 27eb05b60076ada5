// SPDX-License-Identifier: Apache-2.0
// Claude Code itself against a model that is not one: `claude --mcp-config FILE -p /mcp__gpuwhy__investigate`
// with a local stand-in for the Messages API that asks for three tools and then stops. Shows that the client
// starts the server, gets the prompt, and that each call comes back with an answer. Not part of `make test`:
// the client is a 200 MB download.
//   CLAUDE=path/to/claude node claude_code.mjs MCP_CONFIG      (run where the paths of MCP_CONFIG hold)
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

const plan = ['get_trace_overview', 'get_findings', 'get_causal_chains'].map((name) => `mcp__gpuwhy__${name}`);
const results = new Map(); // by call: the client may repeat a request
let prompt = '';
let asked = 0;

function contentOf(message) {
  return Array.isArray(message.content) ? message.content : [{ type: 'text', text: message.content }];
}

// One turn of the stand-in: the next tool of the plan, or the end.
function nextBlock(request) {
  for (const part of contentOf(request.messages.at(-1))) {
    if (part.type === 'tool_result') results.set(part.tool_use_id, part);
  }
  prompt ||= contentOf(request.messages[0]).map((part) => part.text ?? '').join('\n');
  const offered = new Set((request.tools ?? []).map((tool) => tool.name));
  if (asked < plan.length && offered.has(plan[asked])) {
    return { type: 'tool_use', id: `toolu_${asked}`, name: plan[asked++], input: {} };
  }
  return { type: 'text', text: 'done' };
}

function streamed(block, model) {
  const isTool = block.type === 'tool_use';
  const start = isTool ? block : { type: 'text', text: '' };
  const delta = isTool ? { type: 'input_json_delta', partial_json: '{}' } : { type: 'text_delta', text: block.text };
  const usage = { input_tokens: 1, output_tokens: 1 };
  return [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: isTool ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
}

const model = http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (!/^\/v1\/messages(\?|$)/.test(request.url)) return response.writeHead(404).end('{}');
  const question = JSON.parse(body);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of streamed(nextBlock(question), question.model)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
});

function runClaude(port) {
  const home = mkdtempSync(path.join(tmpdir(), 'gpuwhy-claude-'));
  const env = { PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
  const args = ['--mcp-config', process.argv[2], '--strict-mcp-config', '--allowedTools', 'mcp__gpuwhy__*', '-p', '/mcp__gpuwhy__investigate'];
  const child = spawn(process.env.CLAUDE, args, { env, stdio: ['ignore', 'inherit', 'inherit'], timeout: 120_000 });
  return new Promise((done) => child.on('close', done));
}

model.listen(0, '127.0.0.1', async () => {
  const code = await runClaude(model.address().port);
  model.close();
  const failed = [...results.values()].filter((result) => result.is_error);
  console.log(`claude exited ${code}; ${results.size} of ${plan.length} tools answered, ${failed.length} with an error`);
  const hasPrompt = prompt.includes('get_trace_overview');
  if (!hasPrompt) console.log('the prompt investigate did not reach the model');
  process.exitCode = code === 0 && hasPrompt && results.size === plan.length && failed.length === 0 ? 0 : 1;
});
