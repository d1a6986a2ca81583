import { adoptCorpus } from '../lifecycle/adopt-corpus.ts';
import { applyChange } from './apply-change.ts';
import { commitMessage, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';

/** Brings the folder to where the store says it is, one change after the other [K8]. */
export class CorpusWriter {
  readonly #desk: Desk;
  #turn: Promise<void> = Promise.resolve();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /**
   * Resolves when every stored intent is in the folder, or discarded, and the next snapshot is served. A folder that cannot
   * be written is reported to the log alone: what was decided stays decided, and the next job tries again.
   */
  settle(): Promise<void> {
    this.#turn = this.#turn
      .then(() => this.#applyAll())
      .catch((error) => this.#desk.log.error('the corpus folder could not be written', { error }));
    return this.#turn;
  }

  async #applyAll(): Promise<void> {
    const { store, files } = this.#desk;
    let changed = false;
    for (const { seq, change } of store.intents()) {
      const path = filePathOf(change.type, change.id);
      const text = files.read(path);
      const applied = applyChange(change, text);
      if (applied.ok === false) {
        // The file was changed by someone else: it is what counts, and the next adoption follows it.
        this.#desk.log.warn('corpus change discarded', { change: commitMessage(change), reason: applied.keyword });
      } else {
        await files.write(path, applied.ok === true ? applied.text : (text as string), commitMessage(change));
      }
      await store.transact(() => store.removeIntent(seq));
      changed = true;
    }
    if (changed) await refreshCorpus(this.#desk);
  }
}

/** Builds the next snapshot and takes over what it says about artefacts. */
export async function refreshCorpus(desk: Desk): Promise<void> {
  if (await desk.files.refresh()) await desk.store.transact(() => adoptCorpus(desk));
}
