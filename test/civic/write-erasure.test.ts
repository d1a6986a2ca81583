import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APPEAL_DAYS } from '../../src/civic/config.ts';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { findTexts } from '../../src/store/civic/find-texts.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'civic-erasure-'));
  room = await createWriteRoom({ dataDir });
});
afterEach(async () => {
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const NAMED = 'Mevrouw Annelies Zwaanswijk at the desk said no.';
const concern = (report: string) => room.post(ROUTES.concern, request('concern', { report }), address(1));
const listed = async () => (await room.get('/api/concerns?target_type=skill&target_id=sample-move')).body.concerns;
const hold = async () => (await room.review('/api/review?class=ner_hold')).body.items[0];
const found = (text: string) => {
  room.deps.store.scour();
  return findTexts([dataDir], [text]);
};

test('a rejected hold is erased after its time to appeal, and not before', async () => {
  const { submission_id } = (await concern(NAMED)).body;
  const { queue_id } = await hold();
  await room.review(`/api/review/${queue_id}`, { decision: 'reject', note: 'A name.' });
  await room.wait(APPEAL_DAYS * DAY - 1000);
  const before = found('Zwaanswijk').length > 0;
  await room.wait(1000);
  const item = (await room.review(`/api/review/${queue_id}`)).body;
  const record = room.deps.store.submission(submission_id);
  expect([before, item.content, item.decision, record?.item, found('Zwaanswijk')]).toEqual([
    true,
    null,
    'reject',
    expect.objectContaining({ type: 'concern', report: '[redacted]' }),
    [],
  ]);
});

test('a hold can be released without what the scrub found in it', async () => {
  await concern(NAMED);
  const { queue_id } = await hold();
  await room.review(`/api/review/${queue_id}`, { decision: 'release', redact: true });
  const [{ report }] = await listed();
  expect([
    report.includes('Zwaanswijk'),
    report.includes('[redacted] at the desk said no.'),
    found('Zwaanswijk'),
  ]).toEqual([false, true, []]);
});

test('a published concern can be taken down, and its text is in no file then', async () => {
  const text = 'The desk of the purple elephant is closed.';
  const { submission_id } = (await concern(text)).body;
  const before = [(await listed()).length, found('purple elephant').length > 0];
  const open = await room.post(`/api/review/concerns/${submission_id}/take-down`, {}, address(2));
  const answer = await room.review(`/api/review/concerns/${submission_id}/take-down`, {});
  const again = await room.review(`/api/review/concerns/${submission_id}/take-down`, {});
  expect([
    before,
    open.status,
    answer.body.was_listed,
    again.body.was_listed,
    await listed(),
    found('purple elephant'),
  ]).toEqual([[1, true], 401, true, false, [], []]);
});
