import { BinderyError } from '../../contract/errors.ts';
import type { RestoredFile } from '../../gateway/administration/deps.ts';
import { digestOf, type FileUndo, hasChanged } from './choose-backups.ts';

/** A file of ours, before and after a command changed it, and now. */
export interface OwnTexts {
  readonly before: string | undefined;
  readonly after: string;
  readonly now: string;
}

/** A text without what a command added. */
export interface TakenOut {
  /** Undefined: nothing is left, and the file goes. */
  readonly text: string | undefined;
  /** What was changed since, and therefore stays: a sentence for each. */
  readonly left: readonly string[];
}

/** The files that are Bindery's own. Our commands change them after an import, too. */
export interface OwnFiles {
  has(path: string): boolean;
  /** Takes out what a command added, and leaves everything else as it is. Throws if the text cannot be edited. */
  takeOut(texts: OwnTexts): TakenOut;
  /** Replaces the content of a file that must still be `now`. */
  replace(path: string, now: string, text: string): Promise<void>;
}

/** What a restore reads. */
export interface RestoreSources {
  readonly own: OwnFiles | undefined;
  now(path: string): Uint8Array | undefined;
  before(undo: FileUndo): Uint8Array | undefined;
  /** Undefined: the backup does not have it. */
  after(undo: FileUndo): Uint8Array | undefined;
}

/** What a restore does with one file. */
export interface PlannedRestore {
  readonly undo: FileUndo;
  readonly action: RestoredFile['action'];
  /** Why something of what is undone stays in it. */
  readonly note?: string;
  /** It is put back although it has changed since. */
  readonly isForced?: true;
  /** The content before the change; undefined: there was no file. */
  readonly content: Uint8Array | undefined;
  /** What was added is taken out, instead. */
  readonly edit?: { readonly now: string; readonly text: string };
}

/** How the note of a file begins that differs from what was written. */
export const CHANGED = 'it has changed since Bindery wrote it';

/**
 * Decides about each file. If a client's file has changed since, no file is touched: the person decides first, and forces it or not. Of
 * our own file that has changed since, only what was added is taken out.
 */
export function planRestore(
  undos: readonly FileUndo[],
  sources: RestoreSources,
  force: boolean,
): readonly PlannedRestore[] {
  const plan = undos.map((undo) =>
    sources.own?.has(undo.path) ? plannedOwn(undo, sources, force) : plannedWhole(undo, sources, force),
  );
  const changed = plan.find(({ undo, note }) => note !== undefined && !sources.own?.has(undo.path))?.undo.path;
  if (changed === undefined) return plan;
  const reason = `nothing is restored, because ${changed} has changed`;
  return plan.map((planned) => (isWriting(planned) ? left(planned.undo, reason) : planned));
}

function plannedWhole(undo: FileUndo, sources: RestoreSources, force: boolean): PlannedRestore {
  const now = digestOf(sources.now(undo.path));
  const content = sources.before(undo);
  const isChanged = hasChanged(undo, now);
  if (isChanged && !force) return undo.isDisconnected ? { undo, action: 'unchanged', content } : left(undo, CHANGED);
  if (now === undo.first.sha256_before) return { undo, action: 'unchanged', content };
  const action = undo.first.existed ? 'restored' : 'removed';
  return isChanged ? { undo, action, content, isForced: true } : { undo, action, content };
}

function plannedOwn(undo: FileUndo, sources: RestoreSources, force: boolean): PlannedRestore {
  const now = sources.now(undo.path);
  if (force || now === undefined || !hasChanged(undo, digestOf(now))) return plannedWhole(undo, sources, force);
  const after = sources.after(undo);
  if (sources.own === undefined || after === undefined) return left(undo, CHANGED);
  const [before, afterText, nowText] = [sources.before(undo), after, now].map((bytes) => bytes && textOf(bytes));
  const texts = { before, after: afterText as string, now: nowText as string };
  try {
    return plannedEdit(undo, texts.now, sources.own.takeOut(texts));
  } catch (thrown) {
    if (!(thrown instanceof BinderyError)) throw thrown;
    return left(undo, `${CHANGED}, and cannot be edited: ${thrown.detail ?? thrown.row.title}`);
  }
}

function plannedEdit(undo: FileUndo, now: string, { text, left: stays }: TakenOut): PlannedRestore {
  const content = undefined;
  if (text === undefined) return { undo, action: 'removed', content };
  if (text === now && stays.length === 0) return { undo, action: 'unchanged', content };
  const rest = stays.length === 0 ? {} : { note: stays.join('; ') };
  if (text === now) return { undo, action: 'left', content, ...rest };
  return { undo, action: 'edited', content, edit: { now, text }, ...rest };
}

function left(undo: FileUndo, note: string): PlannedRestore {
  return { undo, action: 'left', note, content: undefined };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Whether a plan writes anything. */
export function isWriting({ action }: PlannedRestore): boolean {
  return action !== 'left' && action !== 'unchanged';
}

/** Whether something of what is undone stays in the file. */
export function isLeft({ note }: PlannedRestore): boolean {
  return note !== undefined;
}
