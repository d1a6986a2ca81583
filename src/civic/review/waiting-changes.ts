import { z } from 'zod';
import { changeLine } from '../submissions/commit-message.ts';
import { filePathOf } from '../submissions/corpus-change.ts';
import type { Desk, FilesInTheWay } from '../submissions/desk.ts';
import { isEdited } from '../submissions/settle-corpus.ts';

const WAITING_SHOWN_MAX = 50;

/** A decided change that is not in the folder yet. */
export const WaitingChange = z.object({ change: z.string(), file: z.string(), edited: z.boolean() });
export type WaitingChange = z.output<typeof WaitingChange>;

/** Decided changes that wait for the folder. */
export async function waitingChanges(desk: Desk): Promise<WaitingChange[]> {
  const waiting: WaitingChange[] = [];
  for (const { change } of desk.store.intents().slice(0, WAITING_SHOWN_MAX)) {
    const file = filePathOf(change.type, change.id);
    waiting.push({ change: changeLine(change), file, edited: await isEdited(desk, change) });
  }
  return waiting;
}

export function printWaiting({ change, file, edited }: WaitingChange): string {
  const why = edited ? `: somebody edits ${file}; commit or discard what is not committed` : '';
  return `Not in the corpus folder yet: ${change}${why}\n`;
}

/** The files that keep what was merged at the remote out of the corpus. */
export const InTheWay: z.ZodType<FilesInTheWay> = z.object({
  edited: z.array(z.string()).readonly().describe('Changed at the remote, and edited here without a commit.'),
  both: z.array(z.string()).readonly().describe('Changed at the remote and by commits here.'),
});

export function printInTheWay({ edited, both }: FilesInTheWay): string {
  const lines = [
    ...edited.map((file) => `somebody edits ${file}, which changed there too; commit or discard what is not committed`),
    ...both.map((file) => `${file} changed here and there; if that lasts, run git pull --rebase and resolve it`),
  ];
  return lines.map((line) => `Not taken over from the remote: ${line}\n`).join('');
}
