import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { type AnyOperation, defineOperation, type Hints } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { eraseSubmission, requireConcern, takeDown, textsOf } from './erase-submission.ts';

const ERASE: Hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false };
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });

const takeDownConcern = defineOperation({
  id: 'civic.take_down_concern',
  summary: 'Take a published concern down and erase its text.',
  input: z.strictObject({ concern_id: z.string() }),
  output: z.object({ concern_id: z.string(), was_listed: z.boolean() }),
  hints: ERASE,
  http: {
    method: 'POST',
    path: '/api/review/concerns/{concern_id}/take-down',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    meta: noStore,
  },
  mcp: false,
  cli: { command: 'civic take-down', positional: ['concern_id'] },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ concern_id }, deps: WriteDeps) => {
    const was_listed = await deps.store.transact(() => {
      const record = requireConcern(deps, concern_id);
      const isListed = takeDown(deps, concern_id);
      eraseSubmission(deps, record);
      return isListed;
    });
    deps.store.scour();
    return { concern_id, was_listed };
  },
});

const erase = defineOperation({
  id: 'civic.erase',
  summary: 'Erase what a submission or a session wrote, and show where its text is still found.',
  description:
    'Erases the text of one submission (sub_…) or of all of a session (ses_…) in the store and its log, and then searches the data directory and the corpus for it. What was merged is in the corpus and its history: revert it there.',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ erased: z.array(z.string()), texts: z.int(), found_in: z.array(z.string()) }),
  hints: ERASE,
  http: false,
  mcp: false,
  cli: {
    command: 'civic erase',
    positional: ['id'],
    print: ({ erased, texts, found_in }) =>
      `${erased.length} erased, ${texts} texts searched for, ${found_in.length === 0 ? 'found nowhere' : `still found in:\n${found_in.join('\n')}`}\n`,
    exit: ({ found_in }) => (found_in.length === 0 ? 0 : 1),
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ id }, deps: WriteDeps) => {
    const { store } = deps;
    const texts: string[] = [];
    const erased = await store.transact(() => {
      const one = store.submission(id);
      const records = one ? [one] : store.submissionsOfSession(id);
      if (records.length === 0) throw new BinderyError('target_not_found');
      for (const record of records) {
        texts.push(...textsOf(record.item));
        eraseSubmission(deps, record);
      }
      return records.map((record) => record.id);
    });
    store.scour();
    await deps.writer.settle();
    return { erased, texts: texts.length, found_in: [...deps.findTexts(texts)] };
  },
});

/** What takes text out of the store again. */
export const erasureOperations: readonly AnyOperation<WriteDeps>[] = [takeDownConcern, erase];
