import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { request } from '../../src/store/civic/testing/requests.ts';
import { ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';
import { callTool } from '../support/call-tool.ts';
import { openSession } from '../support/raw-client.ts';
import { corpusSet } from '../support/realistic/corpus-set.ts';

const { files, skills } = corpusSet(5);
const [target = ''] = skills;
/** An address may send so many requests a minute. */
const PER_MINUTE = 10;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(proxies: readonly string[]): Promise<ServedRoom> {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-addresses-'));
  ends.push(() => rmSync(scratch, { recursive: true, force: true }));
  const corpusDir = join(scratch, 'corpus');
  writeFiles(corpusDir, files);
  const room = await ServedRoom.start({
    corpusDir,
    dataDir: join(scratch, 'data'),
    now: '2026-11-02T12:00:00.000Z',
    proxies,
  });
  ends.push(() => room.stop());
  return room;
}

/** Rates a skill from an address; which requests were let through. */
async function rate(room: ServedRoom, from: string, era: '2025' | '2026'): Promise<boolean> {
  const headers = { 'x-forwarded-for': from };
  const args = { ...request('rating'), target_id: target };
  const name = 'civic__submit_rating';
  if (era === '2026') return isAdmitted((await callTool(room.url, name, args, { headers })).result);
  const session = await openSession(`${room.url}/mcp`, { headers });
  return isAdmitted((await session.request('tools/call', { name, arguments: args })).result);
}

function isAdmitted(result: unknown): boolean {
  const text = JSON.stringify(result);
  if (/RATE_LIMITED|rate_limited|too many/i.test(text)) return false;
  expect(text).not.toMatch(/"isError":true/);
  return true;
}

test('on /mcp each address counts by itself, as a trusted proxy says it, in both revisions [civic:C5]', async () => {
  const room = await start(['127.0.0.0/8']);
  for (let count = 0; count < PER_MINUTE; count += 1)
    expect([count, await rate(room, '203.0.113.7', count % 2 ? '2025' : '2026')]).toEqual([count, true]);
  expect([await rate(room, '203.0.113.7', '2026'), await rate(room, '203.0.113.7', '2025')]).toEqual([false, false]);
  expect([await rate(room, '203.0.113.8', '2026'), await rate(room, '203.0.113.9', '2025')]).toEqual([true, true]);
});

test('on /mcp what an untrusted peer says of its address does not count [civic:C5]', async () => {
  const room = await start(['192.0.2.0/24']);
  for (let count = 0; count < PER_MINUTE; count += 1)
    expect([count, await rate(room, `203.0.113.${count}`, '2026')]).toEqual([count, true]);
  expect(await rate(room, '203.0.113.99', '2026')).toBe(false);
});
