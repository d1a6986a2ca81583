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
  /** The registry, which stores the heads of chains. */
  readonly registryFile: string;
  /** The config file that may name another file for the heads; absent: they are stored in the registry only. */
  readonly configFile?: string | undefined;
  /** The heads of chains at other nodes; undefined if there are none. */
  readonly heads?: () => Promise<ReadonlyMap<string, ChainHead>> | undefined;
  readonly settings: () => GatewaySettings['audit'];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Maintains the audit log: retention, anchors on other chains, and its settings. */
export class AuditUpkeep {
  readonly #options: AuditUpkeepOptions;
  readonly #filing: FailureReport;
  #anchored = '';
  #filed = '';
  /** Chains of dead writers, as of the last visit. */
  readonly #visited = new Map<number, { readonly lastSeq: number; readonly at: number }>();
  #seal: ((callId: string, args: unknown) => Uint8Array) | undefined;

  constructor(options: AuditUpkeepOptions) {
    this.#options = options;
    this.#filing = new FailureReport(options.log, {
      failing: 'the heads of the audit chains cannot be written to gateway.audit.heads_file',
      again: 'the heads of the audit chains are written to gateway.audit.heads_file again',
    });
  }

  /** Runs now and every minute. Returns a function that stops. */
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

  /** Applies the current config. */
  configure(): void {
    const { dataDir, writer, settings } = this.#options;
    const audit = settings();
    writer.setFsync(audit?.fsync === true);
    this.#seal = audit?.raw_arguments === true ? (this.#seal ?? argumentSealer(dataDir)) : undefined;
  }

  /** Stores the raw arguments of a call if the config asks for it. */
  keepRaw(callId: string, args: unknown): void {
    if (this.#seal) this.#options.writer.keepRaw({ callId, sealed: this.#seal(callId, args) });
  }

  /** Maintains the chains of dead writers, prunes records, and anchors the heads of other chains. */
  async run(): Promise<void> {
    try {
      const { writer } = this.#options;
      for (const state of this.#othersOf(writer.chain)) await this.#tend(state);
      const pruned = await this.#prune(writer);
      // The pruned records may have held anchors.
      if (pruned > 0) this.#anchored = '';
      await this.#anchor();
      await writer.noteHead();
      await this.noteInFile();
    } catch (error) {
      this.#options.log.error('maintenance of the audit log failed', { error });
    }
  }

  /** Appends the noted heads of all chains to the file that an admin configured. */
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

  /** Closes and prunes the chain of a dead writer. A running writer maintains its own chain. */
  async #tend({ slot, lastSeq }: ChainState): Promise<void> {
    const { dataDir, registryFile, clock, random, log } = this.#options;
    const before = this.#visited.get(slot);
    const now = clock.now();
    if (before?.lastSeq === lastSeq && now - before.at < UP_LIMITS.restingAuditUpkeepEveryMs) return;
    // The node name is used only when a chain begins; this one exists already.
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

  /** Anchors the heads of other chains if any has moved. */
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

/** The byte limit of a chain: what the other chains leave of the total, but at least an even share. */
function bytesFor(whole: number, others: readonly ChainState[]): number {
  const left = whole - others.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.max(UP_LIMITS.auditChainBytesMin, Math.floor(whole / (others.length + 1)), left);
}

function otherHeads(dataDir: string, own: string, elsewhere: ReadonlyMap<string, ChainHead>): Map<string, ChainHead> {
  const heads = new Map([...elsewhere, ...readAudit(dataDir, (reader) => reader.heads())]);
  heads.delete(own);
  return heads;
}
