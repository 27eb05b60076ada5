// SPDX-License-Identifier: Apache-2.0
// What every client must be able to do, written against the few functions that all of them have.

// Values for parameters that have no default; everything else a tool must manage by itself.
const VALUES = { sql: 'SELECT count(*) AS calls FROM api_calls', process: 'python3', finding: 'gpu-starved' };

export function argumentsFor(tool) {
  const { properties = {}, required = [] } = tool.inputSchema;
  return Object.fromEntries(required.map((name) => [name, VALUES[name] ?? properties[name].enum?.[0] ?? '1']));
}

export class Report {
  failed = 0;
  count = 0;
  constructor(prefix) {
    this.prefix = prefix;
  }
  async check(name, run) {
    this.count += 1;
    try {
      const note = await run();
      console.log(`ok      ${this.prefix}: ${name}${note ? ` (${note})` : ''}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAILED  ${this.prefix}: ${name}: ${error.message}`);
    }
  }
}

export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// The text of a tool result; a result that is an error is a failure.
export function textOf(result) {
  const text = result.content?.[0]?.text;
  expect(typeof text === 'string' && text.length > 0, 'no text');
  expect(!result.isError, text);
  expect(result.structuredContent === undefined, 'structuredContent hides the text from some clients');
  return text;
}

const PROMPT_ARGUMENTS = { finding: 'gpu-starved', trace: '' };

export async function checkAll(client, report) {
  let tools = [];
  await report.check('tools/list', async () => {
    ({ tools } = await client.listTools());
    expect(tools.length > 0, 'no tools');
    return `${tools.length} tools`;
  });
  for (const tool of tools) {
    await report.check(`tools/call ${tool.name}`, async () => {
      const text = textOf(await client.callTool({ name: tool.name, arguments: argumentsFor(tool) }));
      return `${text.length} characters`;
    });
  }
  await checkPrompts(client, report);
  await checkResources(client, report);
  await checkErrors(client, report);
}

async function checkPrompts(client, report) {
  let prompts = [];
  await report.check('prompts/list', async () => {
    ({ prompts } = await client.listPrompts());
    expect(prompts.length > 0, 'no prompts');
  });
  for (const prompt of prompts) {
    await report.check(`prompts/get ${prompt.name}`, async () => {
      const needed = (prompt.arguments ?? []).filter((argument) => argument.required);
      const given = Object.fromEntries(needed.map(({ name }) => [name, PROMPT_ARGUMENTS[name]]));
      const { messages } = await client.getPrompt({ name: prompt.name, arguments: given });
      expect(messages.at(-1).role === 'user', 'the last message is not of the user');
    });
  }
  await report.check('completion/complete', async () => {
    const ref = { type: 'ref/prompt', name: 'investigate' };
    const { completion } = await client.complete({ ref, argument: { name: 'trace', value: '' } });
    expect(completion.values.length > 0, 'no trace is offered');
  });
}

async function checkResources(client, report) {
  let resources = [];
  await report.check('resources/list', async () => {
    ({ resources } = await client.listResources());
    expect(resources.length > 0, 'no resources');
  });
  for (const { uri } of resources) {
    await report.check(`resources/read ${uri}`, async () => {
      const { contents } = await client.readResource({ uri });
      expect(contents[0].text.length > 0, 'empty');
    });
  }
  await report.check('resources/templates/list', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.length > 0, 'no templates');
  });
}

async function checkErrors(client, report) {
  await report.check('an unknown tool is an error', async () => {
    const outcome = await client.callTool({ name: 'no_such_tool', arguments: {} }).catch((error) => error);
    expect(outcome.code === -32602, `code ${outcome.code}`);
  });
  await report.check('a wrong argument is explained', async () => {
    const result = await client.callTool({ name: 'get_findings', arguments: { no_such_parameter: 1 } });
    expect(result.isError === true, 'not an error');
  });
}
