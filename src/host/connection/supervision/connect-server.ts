import { ABORTED } from '../../../contract/cancellation.ts';
import type { RememberedEra } from '../../../wire/era-detection.ts';
import { type KeptSession, UpstreamError } from '../../../wire/upstream.ts';
import type { Connection } from '../connection.ts';
import { toUpstreamError } from '../exchange/exchanges.ts';
import { withNoise } from '../exchange/pending-request.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import type { ClientIdentity } from '../ports.ts';
import { performHandshake } from './handshake.ts';
import { type TransportOptions, type TransportPorts, transportsFor } from './open-transport.ts';
import type { ServerSpec } from './server-set.ts';

export interface ConnectPorts extends TransportPorts {
  readonly client: ClientIdentity;
}

export interface ConnectOptions extends TransportOptions {
  readonly remembered?: RememberedEra;
  readonly signal?: AbortSignal;
  /** A session that other processes share; only for Streamable HTTP. */
  readonly kept?: KeptSession | undefined;
  /** Wraps work that waits for a person. */
  readonly whileWaiting?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called when the transport is open, before the first request to the server. */
  readonly onOpened?: () => void;
}

/** Connects to a server and negotiates a revision, within its start-up time. Rejects with an `UpstreamError`. */
export async function connectServer(
  spec: ServerSpec,
  ports: ConnectPorts,
  options: ConnectOptions = {},
): Promise<Connection> {
  const startupMs = spec.startupTimeoutMs ?? LIMITS.startupTimeoutMs;
  const deadline = new StartupDeadline(startupMs, options);
  const { signal } = deadline;
  let transport: { readonly noise?: string | undefined } | undefined;
  try {
    const duringSignIn = <T>(work: () => Promise<T>) => deadline.during(work);
    const open = await transportsFor(spec, ports, { ...options, signal, duringSignIn });
    return await performHandshake({
      serverId: spec.id,
      client: ports.client,
      kind: spec.transport,
      openTransport: (kind) => {
        const opened = open(kind);
        transport = opened;
        return opened;
      },
      remembered: options.remembered,
      kept: options.kept,
      onOpened: options.onOpened,
      signal,
      handshakeTimeoutMs: spec.handshakeTimeoutMs,
      timeoutMs: spec.requestTimeoutMs ?? LIMITS.requestTimeoutMs,
      maxTimeoutMs: spec.toolTimeoutMaxMs ?? LIMITS.toolTimeoutMaxMs,
    });
  } catch (thrown) {
    const error = toUpstreamError(thrown);
    const late = error.kind === 'cancelled' && deadline.signal.aborted && options.signal?.aborted !== true;
    if (!late) throw error;
    const message = `the server did not start within ${startupMs} ms${silentDownload(spec)}`;
    throw withNoise(new UpstreamError('timed_out', message), transport?.noise);
  } finally {
    deadline.end();
  }
}

/** Launchers that download a server before they start it, mostly without output. */
const DOWNLOADER = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx)(?:\.cmd|\.exe)?$/;

/** The likely cause if such a launcher hangs. */
function silentDownload(spec: ServerSpec): string {
  const program = spec.transport === 'stdio' ? DOWNLOADER.exec(spec.command)?.[1] : undefined;
  if (program === undefined) return '';
  return `; ${program} downloads the server first: check that its registry can be reached from where Bindery was started (HTTPS_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE), or install the server beforehand`;
}

/** The start-up deadline; paused while a person signs in, and cut short if the server is no longer wanted. */
class StartupDeadline {
  readonly #controller = new AbortController();
  readonly #unwanted: AbortSignal | undefined;
  readonly #whileWaiting: NonNullable<ConnectOptions['whileWaiting']>;
  #leftMs: number;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(ms: number, { signal, whileWaiting }: Pick<ConnectOptions, 'signal' | 'whileWaiting'>) {
    this.#leftMs = ms;
    this.#unwanted = signal;
    this.#whileWaiting = whileWaiting ?? ((work) => work());
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
    this.#run();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) return work();
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
    try {
      return await this.#whileWaiting(work);
    } finally {
      this.#run();
    }
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#unwanted?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(ABORTED);

  #run(): void {
    if (this.#ended) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#abort, Math.max(0, this.#leftMs));
  }
}
