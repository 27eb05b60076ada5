// SPDX-License-Identifier: Apache-2.0
// The command line of MCP Inspector, one process a request, in both eras.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { argumentsFor, expect, Report, textOf } from './checks.mjs';

const execute = promisify(execFile);

class Inspector {
  constructor(program, home) {
    this.program = program;
    this.home = home;
  }
  async ask(...parameters) {
    const config = ['--config', join(this.home, 'mcp.json'), '--server', 'gpuwhy'];
    const options = ['--cli', ...config, '--format', 'json', '-q', ...parameters];
    const env = { ...process.env, HOME: this.home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
    const { stdout } = await execute(process.execPath, [this.program, ...options], { env, maxBuffer: 1 << 26 });
    const answer = JSON.parse(stdout);
    return answer.result ?? answer;
  }
}

async function checkEra(server, program, era) {
  const report = new Report(`inspector ${era}`);
  const home = await mkdtemp(join(tmpdir(), 'gpuwhy-inspector-'));
  const entry = { type: 'stdio', ...server, ...(era === 'modern' ? { protocolEra: 'modern' } : {}) };
  await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { gpuwhy: entry } }));
  const inspector = new Inspector(program, home);
  let tools = [];
  await report.check('tools/list --strict', async () => {
    ({ tools } = await inspector.ask('--method', 'tools/list', '--strict'));
    expect(tools.length > 0, 'no tools');
  });
  for (const tool of tools) {
    await report.check(`tools/call ${tool.name}`, async () => {
      const values = JSON.stringify(argumentsFor(tool));
      textOf(await inspector.ask('--method', 'tools/call', '--tool-name', tool.name, '--tool-args-json', values));
    });
  }
  await report.check('prompts/list', async () => inspector.ask('--method', 'prompts/list'));
  await report.check('prompts/get explain_finding', async () => {
    const parameters = ['--prompt-name', 'explain_finding', '--prompt-args', 'finding=gpu-starved'];
    const { messages } = await inspector.ask('--method', 'prompts/get', ...parameters);
    expect(messages.at(-1).role === 'user', 'the last message is not of the user');
  });
  await report.check('resources/list', async () => inspector.ask('--method', 'resources/list'));
  await report.check('resources/read', async () => {
    const { contents } = await inspector.ask('--method', 'resources/read', '--uri', 'gpuwhy://schema');
    expect(contents[0].text.includes('CREATE TABLE'), 'no schema');
  });
  await rm(home, { recursive: true });
  return report;
}

export async function checkInspector(server, program) {
  return [await checkEra(server, program, 'legacy'), await checkEra(server, program, 'modern')];
}
