// SPDX-License-Identifier: Apache-2.0
// The TypeScript SDK, version 1 and version 2 in each of its modes.
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

import { checkAll, expect, Report } from './checks.mjs';

const IDENTITY = { name: 'gpuwhy-tests', version: '1.0.0' };
const MODES = [
  { mode: 'legacy', era: 'legacy' },
  { mode: 'auto', era: 'modern' },
  { mode: { pin: '2026-07-28' }, era: 'modern' },
];

async function run(report, client, transport, check) {
  await report.check('connect', async () => client.connect(transport));
  if (report.failed > 0) return report;
  await check?.();
  await checkAll(client, report);
  await report.check('close', async () => client.close());
  return report;
}

export async function checkSdkClients(server) {
  const reports = [await run(new Report('sdk v1'), new ClientV1(IDENTITY), new StdioV1(server))];
  for (const { mode, era } of MODES) {
    const report = new Report(`sdk v2 ${typeof mode === 'string' ? mode : `pinned to ${mode.pin}`}`);
    const client = new ClientV2(IDENTITY, { versionNegotiation: { mode } });
    const checkEra = () =>
      report.check(`the era is ${era}`, async () => {
        expect(client.getProtocolEra() === era, `it is ${client.getProtocolEra()}`);
      });
    reports.push(await run(report, client, new StdioV2(server), checkEra));
  }
  return reports;
}
