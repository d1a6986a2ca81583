import { z } from 'zod';
import { type AnyOperation, defineOperation } from '../../contract/operation.ts';
import { CIVIC_LIMITS, REVIEW_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { fromQuery } from '../reads/http-input.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { SettledWarning } from './queue-entry.ts';
import { revertMerge } from './revert-merge.ts';

const noStore = () => ({ headers: { 'cache-control': 'no-store' } });

const Merge = z.object({
  submission_id: z.string(),
  target_type: z.string(),
  target_id: z.string(),
  merged_at: z.string(),
  version: z.string(),
  automatic: z.boolean(),
  reverted_at: z.string().optional(),
});

const listMerges = defineOperation({
  id: 'civic.list_merges',
  summary: 'List merged amendments, the latest first.',
  input: z.strictObject({}),
  output: z.object({ merges: z.array(Merge), total: z.int() }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'GET', path: '/api/review/merges', read: fromQuery(), meta: noStore },
  mcp: false,
  cli: {
    command: 'civic merges',
    print: ({ merges, total }) =>
      `${merges
        .map(
          (merge) =>
            `${merge.submission_id}  ${merge.merged_at}  ${merge.target_type} ${merge.target_id} ${merge.version}${merge.reverted_at === undefined ? '' : '  reverted'}\n`,
        )
        .join('')}${total} in all\n`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: (_input, deps: WriteDeps) => {
    const merges = deps.store.amendments.merges(REVIEW_LIMITS.mergesShownMax).map(toMerge);
    return { merges, total: merges.length };
  },
});

const revert = defineOperation({
  id: 'civic.revert_merge',
  summary: 'Undo exactly what one merge changed; staged amendments of its author then wait for the maintainer.',
  input: z.strictObject({ submission_id: z.string() }),
  output: z.object({
    submission_id: z.string(),
    target_type: z.string(),
    target_id: z.string(),
    version: z.string(),
    marked: z.array(z.string()),
    warning: SettledWarning,
  }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: {
    method: 'POST',
    path: '/api/review/merges/{submission_id}/revert',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    meta: noStore,
  },
  mcp: false,
  cli: { command: 'civic revert', positional: ['submission_id'] },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ submission_id }, deps: WriteDeps) => {
    const { merge, version, marked } = await deps.store.transact(() => revertMerge(deps, submission_id));
    const settled = await deps.writer.settle();
    return { submission_id, target_type: merge.type, target_id: merge.id, version, marked: [...marked], ...settled };
  },
});

/** Operations to list and revert merges. */
export const mergeOperations: readonly AnyOperation<WriteDeps>[] = [listMerges, revert];

function toMerge(merge: MergeRecord): z.output<typeof Merge> {
  return {
    submission_id: merge.submissionId,
    target_type: merge.type,
    target_id: merge.id,
    merged_at: new Date(merge.mergedAt).toISOString(),
    version: merge.version,
    automatic: merge.automatic,
    ...(merge.revertedAt === undefined ? {} : { reverted_at: new Date(merge.revertedAt).toISOString() }),
  };
}
