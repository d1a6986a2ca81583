import { type AuditReader, type JoinedRecord, readAudit } from '../../store/audit/audit-reader.ts';
import { UP_LIMITS } from '../limits.ts';

/** Reads the calls of one chain of the audit log as they end, each once. */
export class EndedCalls {
  readonly #dataDir: string;
  readonly #chain: string;
  #mark = 0;

  constructor(dataDir: string, chain: string) {
    this.#dataDir = dataDir;
    this.#chain = chain;
  }

  /** Passes over what has ended until now. */
  skip(): void {
    this.#read((_reader, head) => {
      this.#mark = head;
    });
  }

  /** What has ended since, in the order of the ends. */
  take(): JoinedRecord[] {
    return this.#read((reader, head) => {
      const calls: JoinedRecord[] = [];
      while (this.#mark < head) {
        const through = Math.min(this.#mark + UP_LIMITS.endedCallsWindow, head);
        calls.push(...reader.endedBetween(this.#chain, this.#mark, through, UP_LIMITS.endedCallsWindow).items);
        this.#mark = through;
      }
      return calls;
    });
  }

  #read<T>(use: (reader: AuditReader, head: number) => T): T {
    return readAudit(this.#dataDir, (reader) => use(reader, reader.heads().get(this.#chain)?.seq ?? 0));
  }
}
