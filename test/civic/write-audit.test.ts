import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { request } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';
import { callTool } from '../support/call-tool.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('what a civic call said stands in no file of the audit log and in no question to an approver, and nobody reads the log without a credential', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-audit-'));
  ends.push(() => rmSync(scratch, { recursive: true, force: true }));
  const [corpusDir, dataDir] = [join(scratch, 'corpus'), join(scratch, 'data')];
  writeFiles(corpusDir, SAMPLE_CORPUS);
  mkdirSync(dataDir);
  const policy = { servers: ['*'], operations: { submit_amendment: { approval_required: true } } };
  const gateway = { approval: { wait_ms: 100 }, profiles: { default: { policy } } };
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ version: 1, gateway }));
  const room = await ServedRoom.start({ corpusDir, dataDir, now: '2026-11-02T12:00:00.000Z' });
  ends.push(() => room.stop());
  const refused = {
    ...request('concern'),
    report: 'Pay to BE68 5390 0754 7034, says Quirina Zwaanswijk.',
    dry_run: false,
  };
  await callTool(room.url, 'civic__submit_concern', refused, {});
  const named = { ...request('concern'), report: 'Quirina Zwaanswijk lives at the desk.', dry_run: false };
  await callTool(room.url, 'civic__submit_concern', named, {});
  for (const misspelt of ['civic__submit_concer', 'civic__form_check', 'civc__submit_concern']) {
    await callTool(room.url, misspelt, named, {});
    await callTool(room.url, 'call_tool', { name: misspelt, arguments: named }, {});
  }
  const pending = await callTool(room.url, 'civic__submit_amendment', named, {});
  expect(JSON.stringify(pending)).toContain('APPROVAL_PENDING');
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  const open = await fetch(`${room.url}/v1/audit`, { headers: { 'x-forwarded-for': '203.0.113.1' } });
  const log = await fetch(`${room.url}/v1/audit`, { headers: { authorization: `Bearer ${token}` } });
  const text = await log.text();
  const asked = await fetch(`${room.url}/v1/approvals`, { headers: { authorization: `Bearer ${token}` } });
  const questions = await asked.text();
  expect(questions).toContain('submit_amendment');
  const registry = new DatabaseSync(join(dataDir, 'registry.db'), { readOnly: true });
  ends.push(() => registry.close());
  const rows = registry
    .prepare('SELECT * FROM approvals')
    .all()
    .map((row) => JSON.stringify(row));
  expect(rows.length).toBe(1);
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('audit'));
  const bytes = files.flatMap((name) => {
    try {
      return [readFileSync(join(dataDir, name), 'latin1')];
    } catch {
      return [];
    }
  });
  expect([log.status, text.includes('submit_concern'), open.status]).toEqual([200, true, 401]);
  expect([text, questions, ...rows, ...bytes].filter((one) => /Zwaanswijk|BE68|5390|ses_0189/.test(one))).toEqual([]);
});
