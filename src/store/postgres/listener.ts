import type { Client } from 'pg';
import type { Log } from '../../contract/ports.ts';
import { DATABASE_LIMITS } from './limits.ts';

/** Receives the notifications of a channel. */
export interface Subscriber {
  onPayload(payload: string): void;
  /** Listening has started or restarted: earlier notifications may have been missed. */
  onConnected?(): void;
}

/**
 * The one connection that listens; it reconnects whenever it is lost. It also decides whether the database is reachable: only a failed
 * connection attempt counts, not a lost connection.
 */
export class Listener {
  readonly #newClient: () => Client;
  readonly #log: Log;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  #client: Client | undefined;
  #isReachable = true;
  #isClosed = false;
  #isChecking = false;
  #reachable: PromiseWithResolvers<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #checks: NodeJS.Timeout | undefined;

  constructor(newClient: () => Client, log: Log) {
    this.#newClient = newClient;
    this.#log = log;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  whenReachable(): Promise<void> {
    if (this.#isReachable) return Promise.resolve();
    this.#reachable ??= Promise.withResolvers<void>();
    return this.#reachable.promise;
  }

  /** Connects for the first time; throws if that fails. */
  async start(): Promise<void> {
    await this.#connect();
    this.#checks = setInterval(() => this.check(), DATABASE_LIMITS.checkEveryMs).unref();
  }

  listen(channel: string, subscriber: Subscriber): () => void {
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    const isNew = subscribers.size === 0;
    this.#subscribers.set(channel, subscribers.add(subscriber));
    if (isNew) void this.#begin(channel, subscriber);
    else if (this.#client) this.#tell(() => subscriber.onConnected?.());
    return () => {
      subscribers.delete(subscriber);
    };
  }

  /** Probes the connection. */
  check(): void {
    const client = this.#client;
    if (!client || this.#isChecking) return;
    this.#isChecking = true;
    client
      .query('SELECT 1')
      .catch(() => this.#lost(client))
      .finally(() => {
        this.#isChecking = false;
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#checks);
    const client = this.#client;
    this.#client = undefined;
    // A silently cut connection never ends: it must not keep the process alive.
    (client as unknown as { unref(): void } | undefined)?.unref();
    await client?.end().catch(() => {});
  }

  async #begin(channel: string, subscriber: Subscriber): Promise<void> {
    const client = this.#client;
    // Without a connection, the next one listens on every channel.
    if (!client) return;
    try {
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch {
      return this.#lost(client);
    }
    this.#tell(() => subscriber.onConnected?.());
  }

  async #connect(): Promise<void> {
    const client = this.#newClient();
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const subscriber of this.#subscribers.get(channel) ?? []) this.#tell(() => subscriber.onPayload(payload));
    });
    try {
      await client.connect();
      for (const channel of this.#subscribers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (thrown) {
      client.end().catch(() => {});
      throw thrown;
    }
    if (this.#isClosed) return void client.end().catch(() => {});
    this.#client = client;
    if (!this.#isReachable) this.#log.info('the database is reachable again');
    this.#isReachable = true;
    this.#reachable?.resolve();
    this.#reachable = undefined;
    // Subscribers may query at once: the database already counts as reachable.
    for (const subscribers of this.#subscribers.values())
      for (const subscriber of subscribers) this.#tell(() => subscriber.onConnected?.());
  }

  /** An error of a subscriber must not reach the client library, where it would end the process or look like a lost connection. */
  #tell(hear: () => void): void {
    try {
      hear();
    } catch (error) {
      this.#log.error('a notification of the database could not be processed', { error });
    }
  }

  #lost(client: Client): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    void this.#reconnect(DATABASE_LIMITS.retryMsMin);
  }

  async #reconnect(pauseMs: number): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#connect();
    } catch {
      if (this.#isReachable) this.#log.warn('the database cannot be reached');
      this.#isReachable = false;
      this.#retry = setTimeout(
        () => void this.#reconnect(Math.min(pauseMs * 2, DATABASE_LIMITS.retryMsMax)),
        pauseMs,
      ).unref();
    }
  }
}
