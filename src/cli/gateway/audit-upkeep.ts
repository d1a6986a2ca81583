import type { Log } from '../../contract/ports.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import { AuditReader } from '../../store/audit/audit-reader.ts';
import type { AuditWriter } from '../../store/audit/audit-writer.ts';
import { argumentSealer } from './raw-arguments.ts';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;

export interface AuditUpkeepOptions {
  readonly writer: AuditWriter;
  readonly dataDir: string;
  readonly settings: () => GatewaySettings['audit'];
  readonly now: () => number;
  readonly log: Log;
}

/** What the log needs besides records: retention, anchors on other chains, and what the config says of its writing. */
export class AuditUpkeep {
  readonly #options: AuditUpkeepOptions;
  #anchored = '';
  #seal: ((callId: string, args: unknown) => Uint8Array) | undefined;
  #fsync = false;

  constructor(options: AuditUpkeepOptions) {
    this.#options = options;
  }

  /** Begins, and runs each minute; gives the function that ends it. */
  start(): () => void {
    void this.run();
    const timer = setInterval(() => void this.run(), EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Takes over what the config says now. */
  configure(): void {
    const { dataDir, writer, settings } = this.#options;
    const audit = settings();
    const fsync = audit?.fsync === true;
    if (fsync !== this.#fsync) writer.setFsync(fsync);
    this.#fsync = fsync;
    this.#seal = audit?.raw_arguments === true ? (this.#seal ?? argumentSealer(dataDir)) : undefined;
  }

  /** Keeps the arguments of a call where the config asks for it. */
  keepRaw(callId: string, args: unknown): void {
    if (this.#seal) this.#options.writer.keepRaw({ callId, sealed: this.#seal(callId, args) });
  }

  /** Prunes what is too old or too much, and notes where other chains are. */
  async run(): Promise<void> {
    try {
      const { writer, settings, now } = this.#options;
      const { retention_days: days, retention_mb: megabytes } = settings() ?? {};
      if (days !== undefined) writer.prune(new Date(now() - days * DAY_MS).toISOString());
      if (megabytes !== undefined) writer.pruneToBytes(megabytes * MEGABYTE);
      await this.#anchor();
    } catch (error) {
      this.#options.log.error('the upkeep of the audit log failed', { error });
    }
  }

  /** Heads that did not move since are anchored already. */
  async #anchor(): Promise<void> {
    const { dataDir, writer } = this.#options;
    const heads = otherHeads(dataDir, writer.chain);
    const state = JSON.stringify([...heads]);
    if (heads.size === 0 || state === this.#anchored) return;
    await writer.anchor(heads);
    this.#anchored = state;
  }
}

function otherHeads(dataDir: string, own: string): Map<string, ChainHead> {
  const reader = new AuditReader(dataDir);
  try {
    const heads = reader.heads();
    heads.delete(own);
    return heads;
  } finally {
    reader.close();
  }
}
