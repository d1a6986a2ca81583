import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JoinedRecord, readAudit } from '../../store/audit/audit-reader.ts';
import { UP_LIMITS } from '../limits.ts';

/** The audit files of a data directory; each `-wal` file holds the latest writes. */
const AUDIT_FILE = /^audit-\d+\.db(-wal)?$/;
/** Two changes within this time may have the same timestamp. */
const SAME_TIME_MS = 100;

/** Ended calls as JSON texts of their records, and how many more were dropped. */
export interface EndedTexts {
  readonly items: readonly string[];
  readonly dropped: number;
}

/**
 * Calls that ended in a data directory, in any process: each worker writes its own chain. The files are opened only if their
 * timestamps changed, so frequent polling is cheap.
 */
export class EndedOnAllChains {
  readonly #dataDir: string;
  /** The position in each chain; undefined before the first reader. */
  #marks: Map<string, number> | undefined;
  #seen = '';

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Skips calls that have ended until now. */
  passOver(): void {
    const marks = readAudit(this.#dataDir, (reader) => reader.heads());
    this.#marks = new Map([...marks].map(([chain, { seq }]) => [chain, seq]));
  }

  /** Skips calls that ended before the first reader. */
  begin(): void {
    if (!this.#marks) this.passOver();
  }

  /** Calls that ended since the last `take`, in the order in which they began: the newest ones that fit into an event. */
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

  /** The visible state of the files without opening them; undefined if they may change without a new timestamp. */
  #state(): string | undefined {
    const files = readdirSync(this.#dataDir).filter((name) => AUDIT_FILE.test(name));
    const states = files.map((name) => statSync(join(this.#dataDir, name), { throwIfNoEntry: false }));
    const isFresh = states.some((state) => state && Math.abs(Date.now() - state.mtimeMs) < SAME_TIME_MS);
    if (isFresh) return undefined;
    return files.map((name, at) => `${name} ${states[at]?.ino} ${states[at]?.size} ${states[at]?.mtimeMs}`).join('\n');
  }
}

/** The newest texts that fit, but at least one. */
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
