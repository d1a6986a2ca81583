import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession } from '../support/raw-client.ts';
import { toolSet } from '../support/realistic/tool-set.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';
import { type Schema, sample } from '../support/sample-input.ts';

const SEED = 3;
const toolSetServer = fileURLToPath(new URL('../fixtures/servers/tool-set-server.ts', import.meta.url));
const packageFolder = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const reference = (name: string, ...args: string[]) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [join(packageFolder(`@modelcontextprotocol/server-${name}`), 'dist/index.js'), ...args],
});

let home: BinderyHome;
let bindery: RunningBindery;
let session: Awaited<ReturnType<typeof openSession>>;
beforeAll(async () => {
  home = await createHome({ version: 1 });
  await home.writeConfig({
    version: 1,
    mcp: {
      servers: {
        tools: { transport: 'stdio', command: process.execPath, args: [toolSetServer, String(SEED)] },
        everything: reference('everything', 'stdio'),
        filesystem: reference('filesystem', home.cwd),
        memory: reference('memory'),
      },
    },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'tools', 'everything', 'filesystem', 'memory');
  session = await openSession(bindery.mcpUrl);
});
afterAll(async () => {
  await bindery.stop();
  await home.remove();
});

interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}
const direct = async (name: string, args: object) =>
  (await session.request('tools/call', { name, arguments: args })).result as Called;
const bySearch = async (name: string, args: object) =>
  (await session.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } })).result as Called;

describe('tools with schemas as published servers have them', () => {
  test('[gateway:F6] arguments that fit arrive as they were given, by the tool itself and by call_tool', async () => {
    for (const { name, good } of toolSet(SEED)) {
      for (const args of good) {
        const answers = [await direct(`tools__${name}`, args), await bySearch(`tools__${name}`, args)];
        expect(answers.map(({ content }) => JSON.parse(content[0]?.text ?? ''))).toEqual([args, args]);
      }
    }
  });

  test('[gateway:F6] arguments that do not fit are refused by call_tool with their place, and not sent', async () => {
    for (const { name, bad } of toolSet(SEED)) {
      for (const { arguments: args, pointer } of bad.slice(0, 4)) {
        const { isError, content } = await bySearch(`tools__${name}`, args);
        expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(/^INVALID_ARGUMENTS/)]);
        expect(content[0]?.text).toContain(` ${pointer}: `);
      }
    }
  });
});

test('[gateway:F6] call_tool takes arguments for every tool of the reference servers', async () => {
  const { items } = (await bindery.api('GET', '/v1/tools?limit=1000')).body as { items: Item[] };
  const tools = items.filter(({ server }) => ['everything', 'filesystem', 'memory'].includes(server));
  expect(tools.length).toBeGreaterThan(25);
  for (const { name, input_schema } of tools) {
    const args = sample({ ...input_schema, required: Object.keys(input_schema.properties ?? {}) });
    // Whatever the tool answers: it was reached, and no check of the gateway stood before it.
    const { content } = await bySearch(name, args as object);
    expect([name, content[0]?.text]).not.toEqual([name, expect.stringMatching(/^INVALID_ARGUMENTS/)]);
  }
});

interface Item {
  readonly name: string;
  readonly server: string;
  readonly input_schema: Schema;
}
