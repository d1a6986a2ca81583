import { EventEmitter } from 'node:events';
import type { Log } from '../../../contract/ports.ts';
import { DATABASE_LIMITS } from '../limits.ts';
import type { Database } from '../open-database.ts';
import { CoalescedRuns } from './coalesced-runs.ts';
import { RegistryCopy } from './registry-copy.ts';
import { ROWS_CHANNEL, type RowChange, type RowsForWriter, SharedRows } from './shared-rows.ts';
import { shipChanges } from './ship-changes.ts';

export interface SharedRegistryOptions {
  readonly database: Database;
  /** The node's registry file, with its tables created. */
  readonly file: string;
  /** Identifies this process. */
  readonly writer: string;
  readonly log: Log;
}

interface RegistryEvents {
  /** Rows of other nodes were applied to the replica. */
  changed: [readonly RowChange[]];
}

/** Keeps a node's registry and the shared one in sync: ships local changes and pulls those of other nodes. */
export class SharedRegistry extends EventEmitter<RegistryEvents> {
  readonly #rows: SharedRows;
  readonly #copy: RegistryCopy;
  readonly #writer: string;
  readonly #log: Log;
  readonly #database: Database;
  readonly #pulls: CoalescedRuns;
  readonly #ships: CoalescedRuns;
  /** The last pull failed; its notification will not come again. */
  #isMissingRows = false;
  #ending: (() => void)[] = [];

  private constructor({ database, file, writer, log }: SharedRegistryOptions) {
    super();
    this.#database = database;
    this.#rows = new SharedRows(database, writer);
    this.#copy = new RegistryCopy(file);
    this.#writer = writer;
    this.#log = log;
    this.#pulls = new CoalescedRuns(() => this.#pull());
    this.#ships = new CoalescedRuns(() => this.#ship());
  }

  /** Opens the replica, pulls all changes, and follows from then on. */
  static async open(options: SharedRegistryOptions): Promise<SharedRegistry> {
    const registry = new SharedRegistry(options);
    try {
      await registry.#begin();
    } catch (error) {
      registry.#copy.close();
      throw error;
    }
    return registry;
  }

  /** Resolves when the replica has everything written before this call; fails if the database is unreachable. */
  catchUp(): Promise<void> {
    return this.#pulls.run();
  }

  /** Resolves when all local changes made before this call are in the database. */
  flush(): Promise<void> {
    return this.#ships.run();
  }

  /** Changes rows in the database first, as the only writer, and then pulls them into the replica. */
  async write<T>(work: (rows: RowsForWriter, copied: number) => Promise<T>): Promise<T> {
    const done = await this.#rows.write((rows) => work(rows, this.#copy.state?.version ?? 0));
    await this.catchUp();
    return done;
  }

  async close(): Promise<void> {
    for (const end of this.#ending) end();
    this.#ending = [];
    await this.flush().catch(() => {
      // The changes stay in the file; the next start ships them.
    });
    await this.#pulls.idle();
    this.#copy.close();
  }

  async #begin(): Promise<void> {
    const head = await this.#rows.head();
    const state = this.#copy.state;
    const isFirst = state?.id !== head.id || state.version > head.version;
    if (isFirst) this.#copy.begin(head.id);
    await this.#pullAll(isFirst);
    await this.flush();
    const timer = setInterval(() => this.#keepUp(), DATABASE_LIMITS.shipEveryMs);
    timer.unref();
    this.#ending = [
      () => clearInterval(timer),
      this.#database.listen(ROWS_CHANNEL, {
        onPayload: () => this.#quietly(() => this.catchUp()),
        onConnected: () => this.#quietly(() => this.catchUp()),
      }),
    ];
  }

  #keepUp(): void {
    if (!this.#database.isReachable) return;
    if (this.#isMissingRows) this.#quietly(() => this.catchUp());
    this.#quietly(async () => {
      if (this.#copy.unshipped(1).length > 0) await this.flush();
    });
  }

  /** Failures are retried: by the next interval, or after a reconnect. */
  #quietly(work: () => Promise<void>): void {
    work().catch((error: unknown) =>
      this.#log.debug('the shared registry is delayed: the database is unavailable', { error }),
    );
  }

  async #pull(): Promise<void> {
    try {
      await this.#pullAll(false);
      this.#isMissingRows = false;
    } catch (thrown) {
      this.#isMissingRows = true;
      throw thrown;
    }
  }

  async #pullAll(isFirst: boolean): Promise<void> {
    for (;;) {
      const rows = await this.#rows.since(this.#copy.state?.version ?? 0);
      if (rows.length === 0) return;
      if (isFirst) this.#copy.forgetUnshipped(rows);
      this.#copy.apply(rows);
      const others = rows.filter(({ writer }) => writer !== this.#writer);
      if (others.length > 0) this.emit('changed', others);
    }
  }

  async #ship(): Promise<void> {
    for (;;) {
      const taken = await shipChanges(this.#copy, this.#rows, DATABASE_LIMITS.shipRowsMax);
      if (taken === undefined) return;
      if (taken.length > 0) this.emit('changed', taken);
    }
  }
}
