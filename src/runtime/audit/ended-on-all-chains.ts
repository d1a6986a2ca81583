import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JoinedRecord, readAudit } from '../../store/audit/audit-reader.ts';
import { UP_LIMITS } from '../limits.ts';

/** Files that make up the chains of a data directory; what is written last stands in the `-wal` beside each. */
const AUDIT_FILE = /^audit-\d+\.db(-wal)?$/;
/** Two changes so near to each other can bear the same time. */
const SAME_TIME_MS = 100;

/** Calls that have ended, each as the text of its record, and how many more there were. */
export interface EndedTexts {
  readonly items: readonly string[];
  readonly dropped: number;
}

/**
 * The calls that end in a data directory, whichever process has them: each worker writes a chain of its own. The files are opened
 * only where their times say that somebody has written, so that it can be looked often.
 */
export class EndedOnAllChains {
  readonly #dataDir: string;
  /** Undefined until somebody wants to know. */
  #marks: Map<string, number> | undefined;
  #seen = '';

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Passes over what has ended until now. */
  passOver(): void {
    const marks = readAudit(this.#dataDir, (reader) => reader.heads());
    this.#marks = new Map([...marks].map(([chain, { seq }]) => [chain, seq]));
  }

  /** Passes over what ended before anybody wanted to know. */
  begin(): void {
    if (!this.#marks) this.passOver();
  }

  /** What has ended since, in the order in which it began: the newest of it, as many and as much as an event may hold. */
  take(): EndedTexts {
    const state = this.#state();
    if (state !== undefined && state === this.#seen) return { items: [], dropped: 0 };
    this.begin();
    const marks = this.#marks as Map<string, number>;
    const { items, dropped } = readAudit(this.#dataDir, (reader) => {
      const moved = [...reader.heads()].filter(([chain, { seq }]) => seq > (marks.get(chain) ?? 0));
      const ended = moved.map(([chain, { seq }]) =>
        reader.endedBetween(chain, marks.get(chain) ?? 0, seq, UP_LIMITS.auditEventItemsMax),
      );
      for (const [chain, { seq }] of moved) marks.set(chain, seq);
      return {
        items: ended.flatMap((chain) => chain.items),
        dropped: ended.reduce((sum, one) => sum + one.dropped, 0),
      };
    });
    this.#seen = state ?? '';
    const texts = newestTexts(items);
    return { items: texts, dropped: dropped + items.length - texts.length };
  }

  /** What can be seen of the files without opening them; undefined where it may stay the same although they change. */
  #state(): string | undefined {
    const files = readdirSync(this.#dataDir).filter((name) => AUDIT_FILE.test(name));
    const states = files.map((name) => statSync(join(this.#dataDir, name), { throwIfNoEntry: false }));
    const isFresh = states.some((state) => state && Math.abs(Date.now() - state.mtimeMs) < SAME_TIME_MS);
    if (isFresh) return undefined;
    return files.map((name, at) => `${name} ${states[at]?.ino} ${states[at]?.size} ${states[at]?.mtimeMs}`).join('\n');
  }
}

/** The newest there are, and one at least, however long it is. */
function newestTexts(items: readonly JoinedRecord[]): string[] {
  const texts: string[] = [];
  let chars = 0;
  for (const item of items.toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : b.seq - a.seq))) {
    const text = JSON.stringify(item);
    chars += text.length;
    if (texts.length === UP_LIMITS.auditEventItemsMax || (texts.length > 0 && chars > UP_LIMITS.auditEventCharsMax))
      break;
    texts.push(text);
  }
  return texts.reverse();
}
