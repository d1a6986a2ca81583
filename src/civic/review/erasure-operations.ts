import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { type AnyOperation, defineOperation, type Hints } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { eraseSubmission } from './erase-submission.ts';
import { erasurePrinter, fileOf, keepPrints } from './erasure-prints.ts';
import {
  type FoundPrints,
  LEFT_KINDS,
  type Left,
  type LeftKind,
  type NumberedPiece,
  type PrintSearch,
  type PublicText,
} from './print-search.ts';
import { publicTexts } from './public-pages.ts';
import { requireConcern, takeDown } from './take-down.ts';

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
    deps.store.truncateWal();
    return { concern_id, was_listed };
  },
});

const Piece = z.object({ piece: z.int(), submission_id: z.string(), member: z.string() });
const Place = z.object({
  place: z.string(),
  kind: z.enum(Object.keys(LEFT_KINDS) as [LeftKind, ...LeftKind[]]),
  pieces: z.array(z.int()).describe('The numbers of the pieces that this place has or had.'),
});

const ErasureReport = z.object({
  erased: z.array(z.string()),
  pieces: z
    .array(Piece)
    .describe(
      'Pieces of text that were searched for, by the member that had them; pieces of less than eight bytes are not.',
    ),
  gone: z.array(Place).describe('Where a piece was found before the erasure and is not found after it.'),
  left: z
    .array(Place.extend({ next: z.string() }))
    .describe('Where a piece is still found, what has it, and what to do.'),
  alike: z.array(Place).describe('Where another submission has the same words, which its own sender wrote.'),
  shared: z.array(z.string()).describe('Other files of the corpus that have some of the same words.'),
});
type ErasureReport = z.output<typeof ErasureReport>;

const erase = defineOperation({
  id: 'civic.erase',
  summary: 'Erase what a submission or a session wrote, and show where its text is still found.',
  description:
    'Erases the text of one submission (sub_…) or of all of a session (ses_…) in the store, its log and its branches. It searches the data directory, the corpus and its git history before and after that, and lists each place with the pieces that are gone or left there. Only prints of the text are kept, so that the same command can search again later. What was merged is in the corpus and its history: revert it first.',
  input: z.strictObject({ id: z.string().describe('A submission (sub_…) or a session (ses_…).') }),
  output: ErasureReport,
  hints: ERASE,
  http: false,
  mcp: false,
  cli: {
    command: 'civic erase',
    positional: ['id'],
    print: (report) => printReport(report),
    exit: ({ left }) => (left.length === 0 ? 0 : 1),
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ id }, deps: WriteDeps) => {
    const { store } = deps;
    // Pending changes must reach the folder first, so that the search finds them there.
    await deps.writer.settle();
    const one = store.submission(id);
    const records = one ? [one] : store.submissionsOfSession(id);
    if (records.length === 0) throw unknownId(id);
    const shownBefore = await shownPages(deps, records);
    await store.transact(() => {
      for (const record of records) keepPrints(deps, record);
    });
    // Checkpoint the WAL first: hits in rows are more specific than hits in the log.
    store.truncateWal();
    const before = deps.findPrints({ ...searchFor(deps, records), pages: shownBefore });
    await store.transact(() => {
      for (const record of records) eraseSubmission(deps, record);
    });
    const elsewhere = await removeBranches(deps, records);
    await deps.writer.settle();
    store.truncateWal();
    const search = { ...searchFor(deps, records), pages: await shownPages(deps, records) };
    const { left, alike, shared } = searched(deps, search);
    const all = [...left, ...elsewhere, ...otherKeys(deps, records)];
    return {
      erased: records.map((record) => record.id),
      pieces: search.pieces.map(({ piece, submissionId, member }) => ({ piece, submission_id: submissionId, member })),
      gone: goneFrom([...before.left, ...before.alike], [...left, ...alike]),
      left: all.map((one) => ({ ...one, pieces: [...one.pieces], next: LEFT_KINDS[one.kind] })),
      alike: alike.map((one) => ({ ...one, pieces: [...one.pieces] })),
      shared: [...shared],
    };
  },
});

function unknownId(id: string): BinderyError {
  return new BinderyError('target_not_found', {
    detail: `No submission and no session has the id ${id}.`,
    next: 'Take the id from `bindery civic queue`, from `bindery civic merges`, or from the person who asks.',
  });
}

/** Hits that were there before and are gone now. */
function goneFrom(before: readonly Left[], after: readonly Left[]): (Omit<Left, 'pieces'> & { pieces: number[] })[] {
  return before.flatMap(({ place, kind, pieces }) => {
    const kept = new Set(after.flatMap((one) => (one.place === place ? one.pieces : [])));
    const gone = pieces.filter((piece) => !kept.has(piece));
    return gone.length === 0 ? [] : [{ place, kind, pieces: gone }];
  });
}

/** Closes the branches; requests at the forge stay, so they are reported. */
async function removeBranches(deps: WriteDeps, records: readonly SubmissionRecord[]): Promise<Left[]> {
  const { review } = deps.store;
  const requests = records.flatMap(({ id }) =>
    review.itemsAbout(id).flatMap(({ queueId }): Left[] => {
      const url = review.proposal(queueId)?.url;
      return url === undefined ? [] : [{ place: url, kind: 'forge', pieces: [] }];
    }),
  );
  try {
    await deps.closeBranches();
    return requests;
  } catch (error) {
    deps.log.error('a branch could not be removed', { error });
    return [...requests, { place: records.map(({ id }) => `civic/${id}`).join(', '), kind: 'branch', pieces: [] }];
  }
}

function filesOf(records: readonly SubmissionRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap((record) => fileOf(record) ?? []));
}

async function shownPages(deps: WriteDeps, records: readonly SubmissionRecord[]): Promise<PublicText[]> {
  const erased = deps.store.review.erasedIds();
  return publicTexts(deps, await deps.history(), { erased, files: filesOf(records) });
}

interface ErasureSearch extends Omit<PrintSearch, 'pages'> {
  readonly pieces: readonly (NumberedPiece & { readonly submissionId: string })[];
}

function searchFor(deps: WriteDeps, records: readonly SubmissionRecord[]): ErasureSearch {
  const printer = erasurePrinter(deps);
  const pieces = records
    .flatMap(({ id: submissionId }) => {
      const erasure = deps.store.review.erasure(submissionId);
      return erasure?.check === printer.check ? erasure.pieces.map((one) => ({ ...one, submissionId })) : [];
    })
    .map((one, index) => ({ ...one, piece: index + 1 }));
  return { printer, pieces, erased: new Set(records.map(({ id }) => id)), files: filesOf(records) };
}

/** Searches. If unused database pages contain a text, it vacuums and searches again. */
function searched(deps: WriteDeps, search: PrintSearch): FoundPrints {
  const found = deps.findPrints(search);
  const isUnused = found.left.some(({ kind }) => kind === 'unused_pages');
  return isUnused && deps.store.vacuum() ? deps.findPrints(search) : found;
}

function otherKeys(deps: WriteDeps, records: readonly SubmissionRecord[]): Left[] {
  const { check } = erasurePrinter(deps);
  return records.flatMap(({ id }): Left[] => {
    const erasure = deps.store.review.erasure(id);
    return erasure === undefined || erasure.check === check ? [] : [{ place: id, kind: 'other_key', pieces: [] }];
  });
}

function printReport({ erased, pieces, gone, left, alike, shared }: ErasureReport): string {
  const searched =
    pieces.length === 0
      ? 'Nothing to search for: no piece of the text has eight bytes of its own.\n'
      : `Searched before and after for ${pieces.length} ${pieces.length === 1 ? 'piece' : 'pieces'} of text:\n${pieces
          .map(({ piece, submission_id, member }) => `  ${piece}. ${submission_id} ${member}\n`)
          .join('')}`;
  const erasedFrom = gone.length === 0 ? '' : `\nErased from:\n${gone.map(placeLine).join('')}`;
  const copies = gone.some(({ kind }) => kind === 'public_page')
    ? '  The site hides it now. Write the static copies of the site again with `bindery civic site`.\n'
    : '';
  const kinds = Map.groupBy(left, ({ next }) => next);
  const found = [...kinds].map(([next, list]) => `\n${list.map(placeLine).join('')}  ${next}\n`);
  const others =
    alike.length === 0
      ? ''
      : `\nOther submissions have the same words, from their own senders. Nothing to do, unless they are about the same person:\n${alike.map(placeLine).join('')}`;
  const also =
    shared.length === 0
      ? ''
      : `\nThe same words stand in other files of the corpus, from other changes:\n${shared.map((file) => `  ${file}\n`).join('')}`;
  const verdict = left.length === 0 ? '\nFound nowhere.\n' : '\nStill found in:\n';
  return `${erased.length} erased. ${searched}${erasedFrom}${copies}${verdict}${found.join('')}${others}${also}`;
}

function placeLine({ place, kind, pieces }: z.output<typeof Place>): string {
  return `  ${place} (${kind})${pieces.length === 0 ? '' : `: ${pieces.length === 1 ? 'piece' : 'pieces'} ${pieces.join(', ')}`}\n`;
}

/** Operations that remove text from the store. */
export const erasureOperations: readonly AnyOperation<WriteDeps>[] = [takeDownConcern, erase];
