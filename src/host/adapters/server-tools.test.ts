import { expect, test } from 'vitest';
import { createRedactor } from '../../contract/redact.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { EMPTY_CATALOGUE } from '../connection/catalogue/catalogue.ts';
import { memoryOutputs } from '../output/output-store.ts';
import { NO_RULES } from '../permissions/permission-rules.ts';
import { Permissions } from '../permissions/permissions.ts';
import { collectTools } from './collect-tools.ts';
import { ADAPTER_LIMITS } from './limits.ts';
import { type AdapterContext, serverTools } from './server-tools.ts';

const context: AdapterContext = {
  request: async () => ({ content: [{ type: 'text', text: 'x'.repeat(200_000) }] }),
  permissions: new Permissions({
    ...{
      rules: () => NO_RULES,
      mode: 'full-access',
      prompt: undefined,
      remember: async () => {},
      redactor: createRedactor,
      log: createMemoryLog(),
    },
  }),
  outputs: memoryOutputs(),
  redactor: createRedactor(),
  checkOutput: undefined,
};
const define = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

test('[host:X25] too many tools of a server are cut off with a warning', () => {
  const many = Array.from({ length: ADAPTER_LIMITS.toolsPerServerMax + 3 }, (_, index) => define(`t${index}`));
  const { tools, warnings } = serverTools('s', many, {}, context);
  expect([tools.length, warnings]).toEqual([1000, ['s offers 1003 tools: only the first 1000 are used']]);
});

test('[host:X25] schemas that are too large together are replaced from there on', () => {
  const description = 'x'.repeat(60_000);
  const many = Array.from({ length: 80 }, (_, index) =>
    define(`t${index}`, { inputSchema: { type: 'object', description } }),
  );
  const { tools } = serverTools('s', many, {}, context);
  const replaced = tools.filter(({ flags }) => flags.includes('schema_replaced'));
  expect([replaced.length > 0, replaced.length < 80, tools.at(-1)?.parameters]).toEqual([
    true,
    true,
    { type: 'object', additionalProperties: true },
  ]);
});

test('[host:A12] a tool may request a higher limit, up to a bound', async () => {
  const asking = (chars: unknown) => define('t', { _meta: { 'anthropic/maxResultSizeChars': chars } });
  const lengthOf = async (chars: unknown) => {
    const result = await serverTools('s', [asking(chars)], {}, context).tools[0]?.execute({});
    return result?.reference === undefined ? 'whole' : 'cut';
  };
  expect([await lengthOf(undefined), await lengthOf(300_000), await lengthOf('lots')]).toEqual(['cut', 'whole', 'cut']);
});

test('[host:X25] tools without a usable name are left out with a warning', () => {
  const server = {
    id: 's',
    source: 'global',
    file: '/f',
    transport: 'http',
    enabled: true,
    entry: undefined,
    reason: undefined,
  } as const;
  const catalogue = {
    ...{
      tools: ['ok', '', 'x'.repeat(257), 'half\uD800'].map((name) => define(name)),
      resources: [],
      resourceTemplates: [],
    },
    ...{ prompts: [], dropped: [], scope: 'private' as const, freshUntil: undefined },
  };
  const { tools, warnings } = collectTools([{ ...server, warnings: [], raw: {} }], () => catalogue, context);
  expect([tools.flatMap(({ origin }) => origin?.tool ?? []), warnings.length]).toEqual([['ok'], 3]);
});

test('[host:H8] arguments that are not an object are refused before asking for permission, whatever the types say', async () => {
  const { tools } = collectTools([], () => EMPTY_CATALOGUE, context);
  const all = [...serverTools('s', [define('t')], {}, context).tools, ...tools];
  for (const { execute } of all) {
    for (const given of ['{"a":1}', null, 7, ['a']]) {
      // @ts-expect-error what a program without types may pass
      expect(await execute(given)).toMatchObject({ isError: true, text: expect.stringMatching(/must be an object/) });
    }
  }
});
