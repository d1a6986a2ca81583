import { afterEach, beforeEach, expect, test } from 'vitest';
import { ITEMS } from '../../store/civic/testing/requests.ts';
import { createWriteRoom, type WriteRoom } from '../../store/civic/testing/write-room.ts';
import type { Item } from './item-types.ts';
import { protectedChangesOf } from './merge-amendment.ts';
import { prepareItem } from './prepare-item.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());

function amendment(lines: number) {
  const diff = `@@ -17,1 +17,${lines} @@\n-Bring the form.\n${'+Bring the form and the card.\n'.repeat(lines)}`;
  const content = { amendment_subtype: 'body_diff' as const, body_diff: { diff } };
  return { ...ITEMS.amendment, type: 'amendment' as const, content };
}

/** A desk that writes down what is done, and lets another event wait behind each step. */
function watchedDesk(steps: string[]) {
  const { deps } = room;
  const step = (name: string) => {
    steps.push(name);
    setImmediate(() => steps.push('others'));
  };
  return {
    ...deps,
    scrub: (...given: Parameters<typeof deps.scrub>) => {
      step('scrub');
      return deps.scrub(...given);
    },
    files: {
      ...deps.files,
      check: (...given: Parameters<typeof deps.files.check>) => {
        step('judge');
        return deps.files.check(...given);
      },
    },
  };
}

test('others have their turn between the steps that judge a long amendment', async () => {
  const steps: string[] = [];
  const item = amendment(600);
  const read = await prepareItem(watchedDesk(steps), { item: item as Item, submissionId: undefined, isProbe: false });
  await new Promise((resolve) => setImmediate(resolve));
  expect([steps, read.scrubbed?.rejects]).toEqual([['scrub', 'others', 'judge', 'others'], []]);
});

test('a short one is judged in one go, and the same amendment of the same text is judged once', async () => {
  const steps: string[] = [];
  const short = { item: amendment(2) as Item, submissionId: undefined, isProbe: false };
  const read = await prepareItem(watchedDesk(steps), short);
  const [first, second] = [protectedChangesOf(room.deps, amendment(3)), protectedChangesOf(room.deps, amendment(3))];
  expect([read, steps, first === second]).toEqual([{ ...short, detected: [] }, [], true]);
});
