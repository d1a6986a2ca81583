import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, writeFiles } from '../../src/store/context/testing/folders.ts';
import { openSession } from '../support/raw-client.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  type RunningBindery,
  startBindery,
} from '../support/running-bindery.ts';
import { runContext } from './run.ts';

const PAGES = {
  'install.md': '# Installing\n\nInstall the package with the package manager of the system.\n',
  'stub.md': 'install install install\n',
  'limits.md': '# Limits\n\nA rate limiter refuses what comes too often.\n',
};
const LISTED = ['context_search', 'context_inspect_cache', 'context_list_caches', 'context_resolve'];

let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  home = await createHome({ gateway: { exposure: 'all' } });
  const sources = writeFiles(join(home.dir, 'sources'), PAGES);
  await build({ sources, cache: join(home.dataDir, 'caches', 'docs') });
  bindery = await startBindery(home);
});
afterAll(async () => {
  await bindery.stop('SIGKILL');
  await home.remove();
});

interface ToolList {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

const ASKED = { cache: 'docs', query: 'How do I rate limit?', budget: 400 };

test('[context:Z10b] the gateway lists context_search first, and each description says which tool to use', async () => {
  const session = await openSession(bindery.mcpUrl);
  const { tools } = (await session.request('tools/list')).result as ToolList;
  const own = tools.filter(({ name }) => name.startsWith('context'));
  expect(own.map(({ name }) => name)).toEqual(LISTED);
  const described = Object.fromEntries(own.map(({ name, description }) => [name, description]));
  expect(described.context_search).toContain('Use this one first');
  expect(described.context_resolve).toContain('use context.search');
});

test.each([['context_search'], ['context.search']])('[context:Z10b] %s answers by that name', async (name) => {
  const session = await openSession(bindery.mcpUrl);
  const { result } = await session.request('tools/call', { name, arguments: ASKED });
  const [{ text = '' } = {}] = (result as { content: { text: string }[] }).content;
  expect(JSON.parse(text).chunks.map(({ id }: { id: string }) => id)).toEqual(['limits.md']);
});

test.each([['context_resolve'], ['context.resolve'], ['context__context_resolve_0428772a']])(
  '[gateway:N2] the built-in tool answers to %s with the same bytes, directly and through call_tool',
  async (name) => {
    const session = await openSession(bindery.mcpUrl);
    const direct = await session.request('tools/call', { name, arguments: ASKED });
    const route = await bindery.api('POST', '/v1/context/resolve', ASKED);
    const [{ text = '' } = {}] = (direct.result as { content: { text: string }[] }).content;
    expect(JSON.parse(text)).toEqual(route.body);
    const found = await session.request('tools/call', { name: 'call_tool', arguments: { name, arguments: ASKED } });
    expect(found.result).toEqual(direct.result);
  },
);

test.each([
  [{ ...ASKED, cache: '' }, 'cache_missing'],
  [{ ...ASKED, cache: 'none' }, 'cache_missing'],
  [{ ...ASKED, budget: -1 }, 'invalid_budget'],
])('[context:M5] %j is the same mistake through the gateway, as a route and as a command', async (args, code) => {
  const session = await openSession(bindery.mcpUrl);
  const { result } = await session.request('tools/call', { name: 'context_resolve', arguments: args });
  const [{ text = '' } = {}] = (result as { content: { text: string }[] }).content;
  const route = await bindery.api('POST', '/v1/context/resolve', args);
  expect([JSON.parse(text).error.code, (route.body as { code: string }).code]).toEqual([code, code]);
  const flags = ['--cache', args.cache, `--query=${args.query}`, '--budget', String(args.budget), '--json'];
  const command = await runContext('resolve', ...flags);
  expect(JSON.parse(command.stdout)).toMatchObject({ code });
});

test.each([
  [{ ...ASKED, cache: 'docs\ud800' }, 'cache_missing'],
  [{ ...ASKED, query: '\ud800' }, 'invalid_query'],
])('[context:M5] %j: half a character is the same mistake through the gateway and as a route', async (args, code) => {
  const route = await bindery.api('POST', '/v1/context/resolve', args);
  const session = await openSession(bindery.mcpUrl);
  const { result } = await session.request('tools/call', { name: 'context_resolve', arguments: args });
  const [{ text = '' } = {}] = (result as { content: { text: string }[] }).content;
  expect([(route.body as { code: string }).code, JSON.parse(text).error.code]).toEqual([code, code]);
});

test('[context:Z10b] bindery stdio lists the same tools', async () => {
  const child = spawn(process.execPath, commandLine('stdio'), {
    cwd: home.cwd,
    env: home.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error('bindery stdio ended');
        const message = JSON.parse(value);
        if (message.id === id) return message.result;
      }
    };
    const clientInfo = { name: 'test', version: '1' };
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    const { tools } = (await ask(2, 'tools/list', {})) as ToolList;
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith('context'))).toEqual(LISTED);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});
