import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import { adoptCorpus, requireCorpus } from '../lifecycle/adopt-corpus.ts';
import { applyChange } from './apply-change.ts';
import { changeLine, commitMessage } from './commit-message.ts';
import { type CorpusChange, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';

/** Rounds of one turn; changes that lead to more of them without end wait for the next job. */
const ROUNDS_MAX = 4;

/** Whether everything is in the folder; else what to tell the person who waits. */
interface Settled {
  readonly warning?: string;
}

/** Brings the folder to where the store says it is, one change after the other [K8]. */
export class CorpusWriter {
  readonly #desk: Desk;
  readonly #writing: FailureReport;
  #turn: Promise<Settled> = Promise.resolve({});

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#writing = new FailureReport(desk.log, {
      failing: 'a change could not be written into the corpus folder; it is kept and tried again',
      again: 'all changes are in the corpus folder again',
    });
  }

  /**
   * Resolves when every stored intent is in the folder, or discarded, and the next snapshot is served. What cannot be
   * written fails nothing: what was decided stays decided, and the next job tries again. The log has the reason, and the
   * caller gets a sentence for the person who waits.
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

  /** What a written change leads to (a newer artefact supersedes an older one) is written in the same turn. */
  async #applyAll(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const added = this.#desk.store.intentsAdded();
      await this.#applyOnce();
      if (this.#desk.store.intentsAdded() === added) return;
    }
  }

  /** A change that cannot be written holds up later ones of its own file, and no others: a quarantine must not wait. */
  async #applyOnce(): Promise<void> {
    const intents = this.#desk.store.intents();
    if (intents.length === 0) return;
    requireCorpus(this.#desk);
    const failures = new Map<string, unknown>();
    for (const { seq, change } of intents) {
      const path = filePathOf(change.type, change.id);
      if (failures.has(path)) continue;
      try {
        await this.#apply(seq, change, path);
      } catch (error) {
        failures.set(path, error);
      }
    }
    // Also after a failure: a file can be written and only its commit missing.
    await refreshCorpus(this.#desk);
    for (const error of failures.values()) throw error;
  }

  async #apply(seq: number, change: CorpusChange, path: string): Promise<void> {
    const { store, files, log } = this.#desk;
    const text = files.read(path);
    const applied = applyChange(change, text);
    if (applied.ok === 'unfinished') throw new Error(`${path} is not whole: someone is writing it`);
    if (applied.ok === false) {
      // The file was changed by someone else: it is what counts, and the next adoption follows it.
      log.warn('corpus change discarded', { change: changeLine(change), reason: applied.keyword });
    } else {
      await files.write(path, applied.ok === true ? applied.text : (text as string), commitMessage(change));
    }
    await store.transact(() => store.removeIntent(seq));
  }
}

/** What to tell a maintainer whose decision is stored and not in the folder. */
function notWritten(error: unknown): string {
  const { detail, next } = error instanceof BinderyError ? error : { detail: undefined, next: undefined };
  const why = [detail, detail === undefined ? undefined : next].filter((one) => one !== undefined).join(' ');
  return `The decision is stored, but the corpus folder is not written yet. ${why === '' ? '' : `${why} `}A running server tries again every minute, and each start does.`;
}

/** Builds the next snapshot and takes over what it says about artefacts. */
export async function refreshCorpus(desk: Desk): Promise<void> {
  if (await desk.files.refresh()) await desk.store.transact(() => adoptCorpus(desk));
}
