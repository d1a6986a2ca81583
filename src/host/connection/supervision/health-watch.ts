import type { Dispatcher } from 'undici';
import { lateLibrary } from '../../../libraries/late-library.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import type { Connection } from '../connection.ts';
import { toUpstreamError } from '../exchange/exchanges.ts';
import type { HttpSpec, ServerSpec } from './server-set.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** Runs a server's health check, without its connection; rejects with an `UpstreamError` if it fails. False: there was nothing to check. */
export type HealthCheck = (signal: AbortSignal, isConnected: boolean) => Promise<boolean>;

/** Other nodes reported a problem that this node has not verified. */
export class ReportedByPeer extends UpstreamError {
  constructor(message: string) {
    super('refused', message);
  }
}

export interface HealthWatchPorts {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly random: () => number;
  /** The current connection. */
  connection(): Connection | undefined;
  readonly check: HealthCheck | undefined;
  /** `isProbed`: this node or another one has probed the server. */
  onHealthy(isProbed: boolean): void;
  /** `silent` is the connection that did not answer the ping; undefined if only the health check failed. */
  onUnhealthy(error: UpstreamError, silent: Connection | undefined): Promise<void>;
}

/** The heartbeat of a server: a ping on its connection, and its health check, which needs no connection. */
export class HealthWatch {
  readonly #ports: HealthWatchPorts;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #asked = false;
  #ended = false;

  constructor(ports: HealthWatchPorts) {
    this.#ports = ports;
  }

  /**
   * Schedules the next ping and check, with a jitter of 10 %; does nothing without a connection and a health check. The first health
   * check comes soon, because nothing else shows whether the server is up.
   */
  later(): void {
    const { intervalMs, random, check, connection } = this.#ports;
    if (check && !this.#asked) this.soon(intervalMs * 0.1 * random());
    else if (check || connection()) this.soon(intervalMs * (0.9 + 0.2 * random()));
    else clearTimeout(this.#timer);
  }

  soon(waitMs: number): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#ask(), waitMs);
    this.#timer.unref();
  }

  /** Stops the checks and ignores a pending answer. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    this.#asked = true;
    const verdict = await this.#look().finally(() => {
      this.#asking = false;
    });
    if (this.#ended) return;
    if (verdict === 'unknown') return this.soon(this.#ports.timeoutMs);
    // Schedule first: a listener may schedule an earlier check.
    this.later();
    if ('isProbed' in verdict) this.#ports.onHealthy(verdict.isProbed);
    else await this.#ports.onUnhealthy(verdict.error, verdict.silent);
  }

  async #look(): Promise<Verdict> {
    const { timeoutMs, check } = this.#ports;
    const connection = this.#ports.connection();
    const isBusy = connection?.exchanges.busy === true;
    const [pinged, checked] = await Promise.all([
      connection ? outcomeOf(ping(connection, timeoutMs)) : false,
      check ? outcomeOf(check(AbortSignal.timeout(timeoutMs), connection !== undefined)) : false,
    ]);
    // A missed ping means nothing while a request runs: the server may be busy, and the request has its own deadline.
    const isSilent = typeof pinged === 'object';
    if (isSilent && !isBusy) return { error: pinged, silent: connection };
    if (typeof checked === 'object') return { error: checked, silent: undefined };
    if (isSilent && !checked) return 'unknown';
    return { isProbed: pinged === true || checked };
  }
}

type Verdict =
  | 'unknown'
  | { readonly isProbed: boolean }
  | { readonly error: UpstreamError; readonly silent: Connection | undefined };

async function outcomeOf(work: Promise<boolean>): Promise<boolean | UpstreamError> {
  try {
    return await work;
  } catch (thrown) {
    return toUpstreamError(thrown);
  }
}

/** The health check of a server's entry: at its origin, with its headers. */
export function healthCheckOf(
  spec: ServerSpec,
  address: (signal: AbortSignal) => Promise<string>,
  dispatcherFor: (spec: HttpSpec) => Dispatcher,
): HealthCheck | undefined {
  if (spec.transport === 'stdio' || spec.healthCheck === undefined) return undefined;
  const { healthCheck, headers = {} } = spec;
  return async (signal) => {
    const { origin } = new URL(await address(signal));
    await getHealth(new URL(healthCheck, origin), headers, dispatcherFor(spec), signal);
    return true;
  };
}

/** GETs a health check; 200 is healthy. */
async function getHealth(
  url: URL,
  headers: Readonly<Record<string, string>>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<void> {
  let status: number;
  try {
    const response = await undici().request(url, { dispatcher, signal, headers });
    status = response.statusCode;
    await response.body.dump();
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    const why = signal.aborted ? 'no answer in time' : typeof code === 'string' ? code : 'no answer';
    throw new UpstreamError('refused', `the health check failed (${why})`);
  }
  if (status !== 200) throw new UpstreamError('http', `the health check answered HTTP ${status}`, { status });
}

async function ping(connection: Connection, timeoutMs: number): Promise<boolean> {
  try {
    await connection.request({ method: connection.era === '2026' ? 'server/discover' : 'ping' }, { timeoutMs });
  } catch (thrown) {
    const error = toUpstreamError(thrown);
    // Any answer proves that the server is alive; 2025 servers may not know `ping`.
    if (error.kind !== 'rpc' && error.kind !== 'rate_limited' && error.scope === undefined) throw error;
  }
  return true;
}
