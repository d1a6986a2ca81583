import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import { adoptCorpus, requireCorpus } from '../lifecycle/adopt-corpus.ts';
import { applyChange } from './apply-change.ts';
import { changeLine, commitMessage } from './commit-message.ts';
import { type CorpusChange, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';

/** Rounds per turn, in case changes trigger further changes endlessly; the rest waits for the next job. */
const ROUNDS_MAX = 4;

/** Empty if everything is in the folder; else a warning for the maintainer. */
interface Settled {
  readonly warning?: string;
}

/** Applies stored changes to the folder, one at a time [K8]. */
export class CorpusWriter {
  readonly #desk: Desk;
  readonly #writing: FailureReport;
  #turn: Promise<Settled> = Promise.resolve({});

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#writing = new FailureReport(desk.log, {
      failing: 'a change could not be written into the corpus folder; it is kept, and the next job retries',
      again: 'all changes are in the corpus folder again',
    });
  }

  /**
   * Resolves when every stored intent is in the folder or discarded, and the next snapshot is served. Never rejects: a failed write is
   * logged, reported to the caller as a warning, and retried by the next job; the decision stands.
   */
  settle(): Promise<Settled> {
    this.#turn = this.#turn
      .then(() => this.#applyAll())
      .then(
        () => {
          this.#writing.succeeded();
          return {};
        },
        (error) => {
          this.#writing.failed(error);
          return { warning: notWritten(error) };
        },
      );
    return this.#turn;
  }

  /** Follow-up changes (a newer artefact supersedes an older one) are written in the same turn. */
  async #applyAll(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const added = this.#desk.store.intentsAdded();
      await this.#applyOnce();
      if (this.#desk.store.intentsAdded() === added) return;
    }
  }

  /** A failed change blocks only later changes of the same file: a quarantine must not wait. */
  async #applyOnce(): Promise<void> {
    const intents = this.#desk.store.intents();
    if (intents.length === 0) return;
    requireCorpus(this.#desk);
    const failures = new Map<string, unknown>();
    for (const { seq, change } of intents) {
      const path = filePathOf(change.type, change.id);
      if (failures.has(path)) continue;
      try {
        if (await isEdited(this.#desk, change)) throw editedFile(path);
        await this.#apply(seq, change, path);
      } catch (error) {
        failures.set(path, error);
      }
    }
    await this.#showStates(intents, failures);
    // Even after a failure: the file may be written and only its commit missing.
    await refreshCorpus(this.#desk);
    for (const error of failures.values()) throw error;
  }

  /**
   * The latest state of an artefact whose file somebody edits is written beside that edit, without a commit: a quarantine must not wait.
   * The intents stay until they can be committed, so that a discarded edit does not discard the state.
   */
  async #showStates(intents: readonly { change: CorpusChange }[], failures: Map<string, unknown>): Promise<void> {
    const { files } = this.#desk;
    const latest = new Map(intents.map(({ change }) => [`${change.type} ${change.id}`, change]));
    for (const change of latest.values()) {
      const path = filePathOf(change.type, change.id);
      if (change.kind !== 'status' || !isEditedFile(failures.get(path))) continue;
      const applied = applyChange(change, files.read(path));
      try {
        if (applied.ok === true) await files.writeUncommitted(path, applied.text);
      } catch (error) {
        failures.set(path, error);
      }
    }
  }

  async #apply(seq: number, change: CorpusChange, path: string): Promise<void> {
    const { store, files, log } = this.#desk;
    const text = files.read(path);
    const applied = applyChange(change, text);
    if (applied.ok === 'unfinished') throw new Error(`${path} is not whole: someone is writing it`);
    if (applied.ok === false) {
      // A person changed the file: their version wins, and the next adoption follows it.
      log.warn('corpus change discarded', { change: changeLine(change), reason: applied.keyword });
    } else {
      await files.write(path, applied.ok === true ? applied.text : (text as string), commitMessage(change));
    }
    await store.transact(() => store.removeIntent(seq));
  }
}

/**
 * Whether somebody edits the file of a change: it differs from its last commit, and not because an interruption kept this change from being
 * committed. Their work must not be committed with it.
 */
export async function isEdited({ files }: Desk, change: CorpusChange): Promise<boolean> {
  const path = filePathOf(change.type, change.id);
  const edit = await files.uncommitted(path);
  if (!edit) return false;
  const { committed, staged } = edit;
  const own = applyChange(change, committed);
  const isOurs = (text: string | undefined) => text === committed || (own.ok === true && text === own.text);
  return !isOurs(files.read(path)) || !isOurs(staged);
}

const EDITED = new WeakSet<object>();

function editedFile(path: string): BinderyError {
  const error = new BinderyError('STORE_UNAVAILABLE', {
    detail: `${path} has changes that are not committed: somebody edits it.`,
    next: 'Commit or discard them.',
  });
  EDITED.add(error);
  return error;
}

function isEditedFile(error: unknown): boolean {
  return typeof error === 'object' && error !== null && EDITED.has(error);
}

/** The warning for a maintainer whose decision is not in the folder yet. */
function notWritten(error: unknown): string {
  const { detail, next } = error instanceof BinderyError ? error : { detail: undefined, next: undefined };
  const why = [detail, detail === undefined ? undefined : next].filter((one) => one !== undefined).join(' ');
  return `The decision is stored, but the corpus folder is not written yet. ${why === '' ? '' : `${why} `}A running server tries again every minute, and each start does.`;
}

/** Builds the next snapshot and adopts its artefacts. */
export async function refreshCorpus(desk: Desk): Promise<void> {
  if (await desk.files.refresh()) await desk.store.transact(() => adoptCorpus(desk));
}
