import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log, Random } from '../../contract/ports.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import type { NotedHeads } from '../../gateway/audit/verify-chain.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import type { AuditWriter } from '../../store/audit/audit-writer.ts';
import { readRegistryHeads } from '../../store/audit/head-notes.ts';
import { appendHeads, headsFilePath } from '../../store/audit/heads-file.ts';
import { type ChainState, chainStates, openRestingChain } from '../../store/audit/resting-chains.ts';
import { UP_LIMITS } from '../limits.ts';
import { argumentSealer } from './raw-arguments.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;

export interface AuditUpkeepOptions {
  readonly writer: AuditWriter;
  readonly dataDir: string;
  /** Where the ends of chains are noted. */
  readonly registryFile: string;
  /** The config file that may name another place to note them; absent: they are noted in the registry alone. */
  readonly configFile?: string | undefined;
  /** The ends of chains that are elsewhere; undefined where there are none. */
  readonly heads?: () => Promise<ReadonlyMap<string, ChainHead>> | undefined;
  readonly settings: () => GatewaySettings['audit'];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What the log needs besides records: retention, anchors on other chains, and what the config says of its writing. */
export class AuditUpkeep {
  readonly #options: AuditUpkeepOptions;
  readonly #filing: FailureReport;
  #anchored = '';
  #filed = '';
  /** Chains of writers that are gone, as they were left at the last visit. */
  readonly #visited = new Map<number, { readonly lastSeq: number; readonly at: number }>();
  #seal: ((callId: string, args: unknown) => Uint8Array) | undefined;

  constructor(options: AuditUpkeepOptions) {
    this.#options = options;
    this.#filing = new FailureReport(options.log, {
      failing: 'the ends of the audit log cannot be written to gateway.audit.heads_file',
      again: 'the ends of the audit log are written to gateway.audit.heads_file again',
    });
  }

  /** Begins, and runs each minute; gives the function that ends it. */
  start(): () => void {
    void this.run();
    const timers = [
      setInterval(() => void this.run(), UP_LIMITS.auditUpkeepEveryMs),
      setInterval(() => void this.#options.writer.noteHead(), UP_LIMITS.noteHeadsEveryMs),
    ];
    for (const timer of timers) timer.unref();
    return () => {
      for (const timer of timers) clearInterval(timer);
    };
  }

  /** Takes over what the config says now. */
  configure(): void {
    const { dataDir, writer, settings } = this.#options;
    const audit = settings();
    writer.setFsync(audit?.fsync === true);
    this.#seal = audit?.raw_arguments === true ? (this.#seal ?? argumentSealer(dataDir)) : undefined;
  }

  /** Keeps the arguments of a call where the config asks for it. */
  keepRaw(callId: string, args: unknown): void {
    if (this.#seal) this.#options.writer.keepRaw({ callId, sealed: this.#seal(callId, args) });
  }

  /** Looks after the chains of writers that are gone, prunes what is too old or too much, and notes where other chains are. */
  async run(): Promise<void> {
    try {
      const { writer } = this.#options;
      for (const state of this.#othersOf(writer.chain)) await this.#tend(state);
      const pruned = await this.#prune(writer);
      // What was pruned may have held anchors.
      if (pruned > 0) this.#anchored = '';
      await this.#anchor();
      await writer.noteHead();
      await this.noteInFile();
    } catch (error) {
      this.#options.log.error('maintenance of the audit log failed', { error });
    }
  }

  /** Appends where the chains end, as far as that is noted, to the file that an admin named. */
  async noteInFile(): Promise<void> {
    const { configFile, settings, registryFile, clock } = this.#options;
    const file = configFile && headsFilePath(configFile, settings()?.heads_file);
    if (file === undefined) return;
    try {
      const heads: NotedHeads = readRegistryHeads(registryFile);
      const state = JSON.stringify([file, ...heads]);
      if (state === this.#filed) return;
      await appendHeads(file, heads, new Date(clock.now()).toISOString());
      this.#filed = state;
      this.#filing.succeeded();
    } catch (error) {
      this.#filing.failed(error);
    }
  }

  /** Ends and prunes what a writer that is gone left behind; one that runs maintains its own chain. */
  async #tend({ slot, lastSeq }: ChainState): Promise<void> {
    const { dataDir, registryFile, clock, random, log } = this.#options;
    const before = this.#visited.get(slot);
    const now = clock.now();
    if (before?.lastSeq === lastSeq && now - before.at < UP_LIMITS.restingAuditUpkeepEveryMs) return;
    // The name of the node matters only where a chain begins, and this one has begun.
    const resting = openRestingChain({ dataDir, node: 'local', registryFile, clock, random, log }, slot);
    if (!resting) return;
    try {
      await this.#prune(resting);
      this.#visited.set(slot, { lastSeq: resting.head.seq, at: now });
    } finally {
      await resting.close();
    }
  }

  async #prune(writer: AuditWriter): Promise<number> {
    const { retention_days: days, retention_mb: megabytes } = this.#options.settings() ?? {};
    const before = new Date(this.#options.clock.now() - (days ?? 0) * DAY_MS).toISOString();
    const old = days === undefined ? 0 : await writer.prune(before);
    if (megabytes === undefined) return old;
    return old + (await writer.pruneToBytes(bytesFor(megabytes * MEGABYTE, this.#othersOf(writer.chain))));
  }

  #othersOf(chain: string): ChainState[] {
    return chainStates(this.#options.dataDir).filter((state) => state.chain !== chain);
  }

  /** Heads that did not move since are anchored already. */
  async #anchor(): Promise<void> {
    const { dataDir, writer } = this.#options;
    const elsewhere = (await this.#options.heads?.()) ?? new Map<string, ChainHead>();
    const heads = otherHeads(dataDir, writer.chain, elsewhere);
    const state = JSON.stringify([...heads]);
    if (heads.size === 0 || state === this.#anchored) return;
    await writer.anchor(heads);
    this.#anchored = state;
  }
}

/** What a chain may fill: what the others leave of the whole, and its even share at least. */
function bytesFor(whole: number, others: readonly ChainState[]): number {
  const left = whole - others.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.max(UP_LIMITS.auditChainBytesMin, Math.floor(whole / (others.length + 1)), left);
}

function otherHeads(dataDir: string, own: string, elsewhere: ReadonlyMap<string, ChainHead>): Map<string, ChainHead> {
  const heads = new Map([...elsewhere, ...readAudit(dataDir, (reader) => reader.heads())]);
  heads.delete(own);
  return heads;
}
