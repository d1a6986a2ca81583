import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

let fixture: RunningFixture;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());

const running: RunningBindery[] = [];
afterEach(async () => {
  for (const bindery of running.splice(0)) if (bindery.process.exitCode === null) await bindery.stop('SIGKILL');
});

interface Report {
  readonly ok: boolean;
  readonly chains: {
    readonly chain: string;
    readonly last_seq: number;
    readonly end: string;
    readonly end_seq: number;
  }[];
  readonly first_bad: object | null;
  readonly warnings: string[];
}

function openHome(audit: object = {}) {
  const home = openCommandHome();
  const servers = { s: { transport: 'http', url: fixture.url } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers }, gateway: { audit } }));
  const up = async () => {
    const bindery = await startBindery(home);
    running.push(bindery);
    await untilListed(bindery.url, 's__echo', { text: 'x' });
    for (const text of ['a', 'b', 'c']) await callTool(bindery.url, 's__echo', { text });
    return bindery;
  };
  const edit = (sql: string) => {
    const database = new DatabaseSync(join(home.dataDir, 'audit-0.db'));
    database.exec(sql);
    database.close();
  };
  return { ...home, up, edit, verify: (): Promise<Report> => home.json('audit', 'verify') };
}

test('newest records, all records or the whole file deleted: the log of a gateway that stopped does not verify [gateway:U5]', async () => {
  const home = openHome();
  await (await home.up()).stop();
  const { ok, chains, warnings } = await home.verify();
  const last = chains[0]?.last_seq ?? 0;
  expect([ok, chains, warnings]).toMatchObject([true, [{ end: 'registry', end_seq: last }], []]);
  home.edit(`DELETE FROM records WHERE seq = ${last}`);
  expect((await home.verify()).first_bad).toEqual({ chain: 'local/0', seq: last - 1, reason: 'head' });
  const text = await home.run('audit', 'verify');
  expect([text.exitCode, text.stdout.split('\n').at(-2)]).toEqual([1, `not ok: head at local/0 ${last - 1}`]);
  home.edit('DELETE FROM records');
  expect((await home.verify()).first_bad).toEqual({ chain: 'local/0', seq: 0, reason: 'head' });
  rmSync(join(home.dataDir, 'audit-0.db'));
  expect((await home.verify()).first_bad).toEqual({ chain: 'local/0', seq: 0, reason: 'missing_chain' });
});

test('a gateway that is killed leaves a log that verifies, as far as it was noted; the next one notes the rest [gateway:U5]', async () => {
  const home = openHome();
  const first = await home.up();
  await first.stop('SIGKILL');
  expect((await home.verify()).first_bad).toBeNull();
  const second = await home.up();
  await until('the end is noted', async () => {
    const { chains } = (await second.api('POST', '/v1/audit/verify', {})).body as Report;
    return chains[0]?.end_seq === chains[0]?.last_seq;
  });
  await second.stop('SIGKILL');
  const { chains } = await home.verify();
  home.edit(`DELETE FROM records WHERE seq > ${(chains[0]?.last_seq ?? 0) - 2}`);
  expect((await home.verify()).first_bad).toMatchObject({ reason: 'head' });
  // Going on does not heal it, and the log of the gateway says so.
  const third = await home.up();
  await until('the log says so', () =>
    third.stderr().includes('records are missing from the audit log: it no longer contains a recorded head'),
  );
  await third.stop();
  expect((await home.verify()).first_bad).toMatchObject({ chain: 'local/0', reason: 'head' });
});

test('without anything that noted the end, that is said [gateway:U5]', async () => {
  const home = openHome();
  await (await home.up()).stop();
  for (const end of ['', '-wal', '-shm']) rmSync(join(home.dataDir, `registry.db${end}`), { force: true });
  const { ok, chains, warnings } = await home.verify();
  expect([ok, chains[0]?.end, chains[0]?.end_seq, warnings]).toEqual([
    true,
    'unchecked',
    null,
    ['the end of local/0 is unchecked: nothing noted it, so newer records may be missing'],
  ]);
  const { stdout, exitCode } = await home.run('audit', 'verify');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/\tunchecked\nwarning: the end of local\/0 is unchecked/),
  ]);
});

test('a file that the admin names has the ends as well, and finds a cut where the registry is gone [gateway:U5]', async () => {
  const home = openHome({ heads_file: 'noted/heads.jsonl' });
  const file = join(home.dataDir, 'noted', 'heads.jsonl');
  mkdirSync(join(home.dataDir, 'noted'));
  await (await home.up()).stop();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const { chains } = await home.verify();
  const last = chains[0]?.last_seq ?? 0;
  expect([chains[0]?.end, JSON.parse(lines.at(-1) as string)]).toMatchObject(['file', { chain: 'local/0', seq: last }]);
  const exported = join(home.home, 'export.jsonl');
  writeFileSync(exported, (await home.run('audit', 'export')).stdout.split('\n').slice(0, -2).join('\n'));
  expect((await home.json('audit', 'verify', '--file', exported)).chains[0].end).toBe('unchecked');
  expect((await home.json('audit', 'verify', '--file', exported, '--heads-file', file)).first_bad.reason).toBe('head');
  home.edit(`DELETE FROM records WHERE seq = ${last}`);
  for (const end of ['', '-wal', '-shm']) rmSync(join(home.dataDir, `registry.db${end}`), { force: true });
  expect((await home.verify()).first_bad).toEqual({ chain: 'local/0', seq: last - 1, reason: 'head' });
  rmSync(file);
  expect((await home.verify()).warnings).toEqual([
    expect.stringContaining('local/0 is unchecked'),
    expect.stringContaining('cannot be read'),
  ]);
});

test('a file of heads that cannot be written is said once and stops no call [gateway:U5]', async () => {
  const home = openHome({ heads_file: '/dev/null/heads' });
  const bindery = await home.up();
  await until('it is said', () => bindery.stderr().includes('gateway.audit.heads_file'));
  expect(await callTool(bindery.url, 's__echo', { text: 'still' })).toMatchObject({
    result: { content: [{ text: 'still' }] },
  });
  expect(await bindery.stop()).toBe(0);
});

test('a backup that is restored verifies, and goes on to [gateway:U5]', async () => {
  const home = openHome();
  await (await home.up()).stop();
  const file = join(home.home, 'backup.db');
  await home.json('backup', 'create', file);
  await (await home.up()).stop();
  await home.json('backup', 'restore', file);
  expect((await home.verify()).first_bad).toBeNull();
  await (await home.up()).stop();
  const { ok, chains } = await home.verify();
  expect([ok, chains.map(({ end, end_seq, last_seq }) => [end, end_seq === last_seq])]).toMatchObject([
    true,
    chains.map(() => [expect.any(String), true]),
  ]);
});

test('what a command records has its end noted, too [gateway:U5]', async () => {
  const home = openHome();
  await (await home.up()).stop();
  await home.json('keys', 'create', 'k');
  const { chains } = await home.verify();
  expect(chains.map(({ end, end_seq, last_seq }) => [end, end_seq === last_seq])).toEqual(
    chains.map(() => ['registry', true]),
  );
});
