import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSession } from '../../test/support/raw-client.ts';
import { untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

interface Report {
  readonly ok: boolean;
  readonly chains: readonly { readonly last_seq: number; readonly end: string; readonly end_seq: number | null }[];
  readonly first_bad: { readonly reason: string } | null;
  readonly warnings: readonly string[];
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'audit-cut-tail',
    title: 'deleting the newest records, all records or the whole file of the audit log is found',
    async run(target) {
      await recordSomeCalls(target);
      const { ok, chains } = await verify(target);
      assert.ok(ok && chains[0]);
      assert.equal(chains[0].end_seq, chains[0].last_seq);
      edit(target, `DELETE FROM records WHERE seq = ${chains[0].last_seq}`);
      assert.equal((await verify(target)).first_bad?.reason, 'head');
      edit(target, 'DELETE FROM records');
      assert.equal((await verify(target)).first_bad?.reason, 'head');
      await rm(join(target.home.dataDir, 'audit-0.db'));
      assert.equal((await verify(target)).first_bad?.reason, 'missing_chain');
    },
  },
  {
    id: 'audit-cut-and-go-on',
    title:
      'a gateway that goes on with a log whose end was deleted does not make it whole, and a log without notes says so',
    async run(target) {
      await recordSomeCalls(target);
      edit(target, 'DELETE FROM records WHERE seq > 2');
      await recordSomeCalls(target);
      await recordSomeCalls(target);
      assert.equal((await verify(target)).first_bad?.reason, 'head');
      await rm(join(target.home.dataDir, 'registry.db'));
      const { chains, warnings } = await verify(target);
      assert.deepEqual([chains[0]?.end, chains[0]?.end_seq], ['unchecked', null]);
      assert.match(warnings.join(), /unchecked/);
    },
  },
];

async function recordSomeCalls({ home, up, recordingServer }: AttackTarget): Promise<void> {
  await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry } } });
  const bindery = await up();
  await untilKnown(bindery, 'notes');
  const session = await openSession(bindery.mcpUrl);
  for (const text of ['a', 'b', 'c']) await session.request('tools/call', { name: 'notes__echo', arguments: { text } });
  assert.equal(await bindery.stop(), 0);
}

async function verify({ command }: AttackTarget): Promise<Report> {
  return JSON.parse((await command(['audit', 'verify', '--json'])).stdout);
}

function edit({ home }: AttackTarget, sql: string): void {
  const database = new DatabaseSync(join(home.dataDir, 'audit-0.db'));
  database.exec(sql);
  database.close();
}
