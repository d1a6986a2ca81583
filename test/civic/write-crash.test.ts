import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { type FiledType, filePathOf } from '../../src/civic/submissions/corpus-change.ts';
import { openCivicStore } from '../../src/store/civic/open-civic-store.ts';
import { address, common, ITEMS, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { commandOutput, ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { createWriteRoom, writeFiles } from '../../src/store/civic/testing/write-room.ts';

const ROUNDS = 2;

let scratch: string;
let options: { corpusDir: string; dataDir: string; now: string };
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-crash-'));
  options = { corpusDir: join(scratch, 'corpus'), dataDir: join(scratch, 'data'), now: '2026-11-02T12:00:00Z' };
  writeFiles(options.corpusDir, SAMPLE_CORPUS);
  execFileSync('git', ['init', '--quiet', options.corpusDir]);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('kill -9 [civic:K8]', () => {
  test('loses nothing that was answered, leaves nothing half-written, and the next start finishes what was begun', async () => {
    const answered = new Map<string, string>();
    let sender = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const room = await ServedRoom.start(options);
      let isOver = false;
      const goal = answered.size + 40 + 25 * round;
      const { promise: enough, resolve: reached } = Promise.withResolvers<void>();
      const flood = Array.from({ length: 8 }, async (_, lane) => {
        for (let n = 0; !isOver; n++) {
          const from = address(++sender);
          const items = [
            { type: 'concern', ...ITEMS.concern, report: `Round ${round}, lane ${lane}, report ${n}.` },
            { type: 'draft', ...ITEMS.draft, proposed_id: `sample-r${round}-l${lane}-n${n}` },
            {
              type: 'validation',
              ...ITEMS.validation,
              target_id: 'sample-birth',
              injection_flag: n % 7 === 3,
              verdict: 'reject',
              rationale: `No ${n}.`,
            },
          ];
          const sent = { ...common(), items };
          // The server goes away under some of these; what it did not answer, it does not owe.
          const answer = await room.send('POST', '/api/feedback', sent, from).catch(() => undefined);
          if (answer?.status !== 202) continue;
          for (const result of JSON.parse(answer.text).results) {
            if (result.status === 'accepted') answered.set(result.submission_id, result.type);
          }
          if (answered.size >= goal) reached();
          if (n % 5 === 4) await dismissOne(room);
        }
      });
      await enough;
      await room.stop('SIGKILL');
      isOver = true;
      await Promise.all(flood);
      inspect(answered);
    }
    const room = await ServedRoom.start(options);
    await room.stop();
    const replayed = await commandOutput(['civic', 'replay', '--corpus', options.corpusDir, '--json'], options);
    expect([replayed.code, JSON.parse(replayed.stdout).equal]).toEqual([0, true]);
    inspectFolder();
  });

  test('an intent that was stored but not carried out is carried out at the next start', async () => {
    const dataDir = join(scratch, 'intent');
    const corpusDir = join(scratch, 'intent-corpus');
    writeFiles(corpusDir, SAMPLE_CORPUS);
    const first = await createWriteRoom({ dataDir, corpusDir });
    const { store } = first.deps;
    await store.transact(() => {
      store.addIntent({ kind: 'status', type: 'skill', id: 'sample-move', status: 'beta' });
      store.addIntent({ kind: 'status', type: 'skill', id: 'not-there', status: 'beta' });
    });
    await first.close();
    const second = await createWriteRoom({ dataDir, corpusDir });
    const text = readFileSync(join(corpusDir, 'skills/sample-move/canonical.md'), 'utf8');
    expect([
      /^status: (\w+)/m.exec(text)?.[1],
      second.deps.store.intents(),
      second.deps.store.artefact('skill', 'sample-move')?.state,
    ]).toEqual(['beta', [], 'beta']);
    await second.close();
  });
});

describe('the command line [civic:MQ3] [civic:C7]', () => {
  test('lists the queue, decides and shows the same objects as the routes', async () => {
    const room = await ServedRoom.start(options);
    await room.send('POST', ROUTES.feedback, request('feedback', { body: 'From the road.' }), address(70_000));
    await room.send('POST', ROUTES.validation, vote('confirm', 'sample-move'), address(70_001));
    const route = await room.send('GET', '/api/review?class=feedback_triage', undefined, undefined, {
      authorization: 'Bearer maintainer-token',
    });
    const queue = await commandOutput(['civic', 'queue', '--class', 'feedback_triage', '--json'], options);
    const id = JSON.parse(queue.stdout).items[0].queue_id as string;
    const decided = await commandOutput(['civic', 'review', id, 'close', '--note', 'Seen.', '--json'], options);
    const again = await commandOutput(['civic', 'review', id, 'close', '--json'], options);
    const left = await room.send('GET', '/api/review?class=feedback_triage', undefined, undefined, {
      authorization: 'Bearer maintainer-token',
    });
    await room.stop();
    expect([
      queue.stdout.trim(),
      JSON.parse(decided.stdout).decision,
      again.code,
      JSON.parse(again.stdout).code,
      JSON.parse(left.text).total,
    ]).toEqual([route.text, 'close', 1, 'already_decided', 0]);
  });
});

async function dismissOne(room: ServedRoom): Promise<void> {
  const headers = { authorization: 'Bearer maintainer-token' };
  const list = await room
    .send('GET', '/api/review?class=injection_quarantine', undefined, undefined, headers)
    .catch(() => undefined);
  const item = list && JSON.parse(list.text).items[0];
  if (item)
    await room
      .send('POST', `/api/review/${item.queue_id}`, { decision: 'dismiss' }, undefined, headers)
      .catch(() => undefined);
}

/** Right after the kill, before anything is repaired: transactions are whole or absent. */
function inspect(answered: ReadonlyMap<string, string>): void {
  const { store, close } = openCivicStore(options.dataDir);
  const lost = [...answered.keys()].filter((id) => !store.submission(id));
  // What was one concern too many for its day waits in the question about them.
  const burst = new Set(store.concerns.inBurst(store.concerns.burstOf('skill', 'sample-move') ?? ''));
  const torn = [...answered].filter(
    ([id, type]) => type === 'concern' && store.artefact('concern', id)?.state !== 'alpha' && !burst.has(id),
  );
  expect([answered.size > 0, lost, torn, replayStore(store).equal]).toEqual([true, [], [], true]);
  close();
}

/** After a start: the folder says what the store says, nothing waits, and git has every change. */
function inspectFolder(): void {
  const { store, close } = openCivicStore(options.dataDir);
  const wrong = store.artefactKeys().filter(({ type, id }) => {
    if (type !== 'skill') return false;
    const text = readFileSync(join(options.corpusDir, filePathOf(type as FiledType, id)), 'utf8');
    return /^status: (\w+)/m.exec(text)?.[1] !== store.artefact(type, id)?.state;
  });
  const git = execFileSync('git', ['-C', options.corpusDir, 'status', '--porcelain', '--untracked-files=no'], {
    encoding: 'utf8',
  });
  expect([wrong, store.intents(), git]).toEqual([[], [], '']);
  close();
}
