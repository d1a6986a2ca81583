import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { ApprovalStore } from '../../src/store/approvals/approval-store.ts';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type BinderyHome, commandLine, createHome, startBindery, until } from '../support/running-bindery.ts';

type Piped = ChildProcessByStdio<Writable, Readable, Readable>;

let home: BinderyHome;
const children: Piped[] = [];

beforeAll(async () => {
  home = await createHome({});
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await home.remove();
});

function start(...argv: string[]) {
  const child: Piped = spawn(process.execPath, commandLine(...argv), { cwd: home.cwd, env: home.env });
  children.push(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => [code ?? signal, said]);
  return { child, ended };
}

const time = new Date().toISOString();

async function recordCall(writer: AuditWriter, call_id: string): Promise<void> {
  await writer.append({ kind: 'call', phase: 'single', call_id, time, outcome: 'ok' });
}

function questionOf(id: string): Approval {
  const nothing = { session: null, client: null, decided_at: null, decided_by: null, decided_via: null };
  return {
    ...nothing,
    ...{ id, status: 'pending', server: 's', tool: 't', name: 's__t', arguments: {}, arguments_sha256: id },
    ...{ reason: null, rule: { file: null, line: null, pointer: null }, caller: 'local', profile: 'default' },
    ...{ created_at: time, expires_at: new Date(Date.now() + 600_000).toISOString(), decision_reason: null },
    ...{ remember: 'none', remember_allowed: 'never', shown: 'may it?', call_id: id },
  } as Approval;
}

test('`audit tail --follow` ends quietly when its reader closed the pipe', async () => {
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const writer = AuditWriter.open({ dataDir: home.dataDir, node: 'local', clock: { now: Date.now }, random });
  await recordCall(writer, 'one');
  const { child, ended } = start('audit', 'tail', '--follow');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await recordCall(writer, 'two');
  expect(await ended).toEqual([0, '']);
  writer.close();
});

test('`approvals watch` ends quietly when its reader closed the pipe', async () => {
  const database = openDatabase(join(home.dataDir, 'registry.db'));
  const store = new ApprovalStore(database);
  store.add(questionOf('one'), '');
  const { child, ended } = start('approvals', 'watch');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  store.add(questionOf('two'), '');
  expect(await ended).toEqual([0, '']);
  database.close();
});

test('a command whose reader is gone before it writes has nothing to complain of', async () => {
  const { child, ended } = start('bind', '--help');
  child.stdout.destroy();
  expect(await ended).toEqual([0, '']);
});

test('`bindery up` serves on when nobody reads what it says', async () => {
  const zones = join(home.dir, 'zones');
  mkdirSync(zones);
  const bindery = await startBindery(home, '--zones', zones);
  bindery.process.stdout?.destroy();
  bindery.process.stderr?.destroy();
  // Zones that are gone are said in the log.
  rmSync(zones, { recursive: true });
  await sleep(2_500);
  expect([(await fetch(`${bindery.url}/v1/servers`)).status, await bindery.stop()]).toEqual([200, 0]);
});

test('`bindery stdio` ends when its client no longer reads', async () => {
  const { child, ended } = start('stdio');
  const ping = () => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
  child.stdin.on('error', () => {});
  ping();
  await once(child.stdout, 'data');
  child.stdout.destroy();
  ping();
  await until('it has ended', () => child.exitCode !== null);
  expect(await ended).toEqual([0, '']);
});
