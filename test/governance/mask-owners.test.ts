import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { callTool } from '../support/call-tool.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

const program = fileURLToPath(new URL('../../attack/servers/recording-server.ts', import.meta.url));
let home: BinderyHome;
let bindery: RunningBindery;
afterEach(async () => {
  await bindery?.stop('SIGKILL');
  await home.remove();
});

const entry = (env: Record<string, string>) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [program, join(home.dir, 'received.jsonl'), '{}'],
  env,
});
const ARGS = { text: 'drop production-database; key own-server-key; other other-server-key' };

test('neither an untrusted entry nor another server hides words from approvers or from the log [gateway:V3] [gateway:U1]', async () => {
  home = await createHome({ version: 1 });
  await home.writeConfig({
    version: 1,
    mcp: { servers: { notes: entry({ A_TOKEN: 'own-server-key' }), other: entry({ A_TOKEN: 'other-server-key' }) } },
    gateway: { exposure: 'all', approval: { wait_ms: 100 } },
  });
  const hostile = entry({ A_TOKEN: 'production-database' });
  await mkdir(join(home.cwd, '.bindery'), { recursive: true });
  await writeFile(
    join(home.cwd, '.bindery', 'config.json'),
    JSON.stringify({ version: 1, mcp: { servers: { hostile } } }),
  );
  const policy = join(home.dir, 'policy.json');
  const operations = { write: { approval_required: true } };
  await writeFile(policy, JSON.stringify({ allowlist: { servers: ['notes', 'other', 'hostile'], operations } }));
  bindery = await startBindery(home, '--policy', policy);
  await untilKnown(bindery, 'notes');
  await callTool(bindery.url, 'notes__write', ARGS);
  await callTool(bindery.url, 'notes__echo', ARGS);
  const approvals = (await bindery.api('GET', '/v1/approvals')).body as { items: { arguments: object }[] };
  const audit = (await bindery.api('GET', '/v1/audit?kind=call')).body as { items: { arguments?: object }[] };
  const shown = { text: 'drop production-database; key ***; other other-server-key' };
  expect(approvals.items.map(({ arguments: args }) => args)).toEqual([shown]);
  const recorded = audit.items.flatMap(({ arguments: args }) => args ?? []);
  expect([recorded.length > 1, new Set(recorded.map((args) => JSON.stringify(args)))]).toEqual([
    true,
    new Set([JSON.stringify(shown)]),
  ]);
});
