import type { Clock } from '../../contract/ports.ts';
import type { AuditLog } from '../../proxy/call/ports.ts';
import { type AuditReader, type JoinedRecord, readAudit } from '../../store/audit/audit-reader.ts';
import { AuditWriter } from '../../store/audit/audit-writer.ts';
import { takeSlotOf } from '../../store/audit/slot-lock.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import { changeEntry } from '../catalogue/definition-changes.ts';
import { UP_LIMITS } from '../limits.ts';
import { AuditUpkeep, type AuditUpkeepOptions } from './audit-upkeep.ts';
import { CallRecorder, type CallRecorderOptions } from './call-recorder.ts';

export interface CallAuditOptions extends CallRecorderOptions {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly configFile: string;
  readonly node: string;
  readonly clock: Clock;
  readonly isFollower: boolean;
  readonly settings: AuditUpkeepOptions['settings'];
  /** The audit log that several nodes share; absent if this node is the only one. */
  readonly shared?:
    | {
        log(writer: AuditWriter, isSynced: () => boolean): AuditLog;
        readonly heads: NonNullable<AuditUpkeepOptions['heads']>;
      }
    | undefined;
}

/** The audit log of a gateway: its chain, the recorder of calls with counts and spans, and the maintenance of the files. */
export class CallAudit {
  readonly writer: AuditWriter;
  readonly recorder: CallRecorder;
  readonly upkeep: AuditUpkeep;
  /** Calls of this process that have ended. */
  readonly ended: EndedCalls;
  readonly newCallId: () => string;
  /** The time in RFC 3339. */
  readonly now: () => string;

  constructor(options: CallAuditOptions) {
    const { dataDir, registryFile, configFile, node, clock, random, log, settings, shared } = options;
    this.newCallId = () => uuidV7(clock.now(), random);
    this.now = isoTime(clock);
    // Each of several nodes writes only chains with its own name, because chains of other nodes may be here as well.
    this.writer = AuditWriter.open(options, shared && takeSlotOf(dataDir, node));
    const calls = shared?.log(this.writer, () => settings()?.sync === 'database') ?? this.writer;
    this.recorder = new CallRecorder(calls, options);
    this.ended = new EndedCalls(dataDir, this.writer.chain);
    this.upkeep = new AuditUpkeep({
      writer: this.writer,
      dataDir,
      registryFile,
      // Only the primary writes the file of heads. Workers store their heads in the registry.
      configFile: options.isFollower ? undefined : configFile,
      heads: () => shared?.heads(),
      settings,
      clock,
      random,
      log,
    });
  }

  /** Records a definition that is not the accepted one. */
  recordChange(change: ChangedDefinition): Promise<void> {
    return this.writer.append(changeEntry(change, this));
  }

  async close(): Promise<void> {
    await this.recorder.tracing?.close();
    await this.writer.close();
    await this.upkeep.noteInFile();
  }
}

/** Formats the time at most once per millisecond. */
function isoTime(clock: Clock): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}

/** Reads the ended calls of one audit chain, each once. */
class EndedCalls {
  readonly #dataDir: string;
  readonly #chain: string;
  #mark = 0;

  constructor(dataDir: string, chain: string) {
    this.#dataDir = dataDir;
    this.#chain = chain;
  }

  /** Skips calls that have ended until now. */
  skip(): void {
    this.#read((_reader, head) => {
      this.#mark = head;
    });
  }

  /** Calls that ended since the last `take` or `skip`, in the order of their ends. */
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
