// SPDX-License-Identifier: Apache-2.0
// node run.mjs GPUWHY TRACE: official clients list and call everything that `gpuwhy mcp` serves on
// this trace. One line a check; the exit status is 1 when one failed.
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

import { checkInspector } from './inspector.mjs';
import { checkSdkClients } from './sdk_clients.mjs';

const [command, trace] = process.argv.slice(2);
const server = { command, args: ['mcp', '--db', trace] };
const here = dirname(fileURLToPath(import.meta.url));
const inspector = join(here, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

const reports = [...(await checkSdkClients(server)), ...(await checkInspector(server, inspector))];
const count = reports.reduce((sum, report) => sum + report.count, 0);
const failed = reports.reduce((sum, report) => sum + report.failed, 0);
console.log(`${count - failed} of ${count} checks passed`);
process.exit(failed === 0 ? 0 : 1);
