import { ABORTED } from '../../../contract/cancellation.ts';
import type { RememberedEra } from '../../../wire/era-detection.ts';
import { type KeptSession, type TransportKind, UpstreamError } from '../../../wire/upstream.ts';
import type { EntryPool } from '../../transports/http-pool.ts';
import { type Authorizer, HttpSender } from '../../transports/http-sender.ts';
import { LegacySseTransport } from '../../transports/legacy-sse.ts';
import type { Environment } from '../../transports/minimal-environment.ts';
import type { ProcessSpawner } from '../../transports/process-spawner.ts';
import { StdioTransport } from '../../transports/stdio.ts';
import { StreamableHttpTransport } from '../../transports/streamable-http.ts';
import type { Transport } from '../../transports/transport.ts';
import type { Connection } from '../connection.ts';
import { toUpstreamError } from '../exchange/exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import type { ClientIdentity, Redact } from '../ports.ts';
import { shakeHands } from './handshake.ts';
import type { HttpSpec, ServerSpec } from './server-spec.ts';

export interface ConnectPorts {
  readonly client: ClientIdentity;
  /** The pooled connections that reach a server: to which addresses, the spec says. */
  readonly dispatcherFor: (spec: HttpSpec) => EntryPool;
  readonly environment: Environment;
  readonly spawner: ProcessSpawner;
  readonly redact: Redact;
  /** Who presents tokens to this server; undefined: nobody. */
  readonly authorizerFor: (spec: HttpSpec, url: URL) => Authorizer | undefined;
}

export interface ConnectOptions {
  readonly remembered?: RememberedEra;
  readonly signal?: AbortSignal;
  /** A session that other processes use as well; only where the server speaks Streamable HTTP. */
  readonly kept?: KeptSession | undefined;
  /** Finds where the server is; default: its URL. */
  readonly address?: (signal: AbortSignal) => Promise<string>;
  /** Runs what may take as long as a person does. */
  readonly whileWaiting?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Its process starts behind others that want the cores: it failed the last time, or nobody waits for it. */
  readonly isBackground?: boolean;
  /** Told when the transport is open, before anything is asked of the server. */
  readonly onOpened?: () => void;
  /** The process of a stdio server, for its stderr. */
  readonly onProcess?: (transport: StdioTransport) => void;
}

/** Connects to a server and agrees on a revision, within its start-up time. Rejects with an `UpstreamError`. */
export async function connectServer(
  spec: ServerSpec,
  ports: ConnectPorts,
  options: ConnectOptions = {},
): Promise<Connection> {
  const startupMs = spec.startupTimeoutMs ?? LIMITS.startupTimeoutMs;
  const deadline = new StartupDeadline(startupMs, options);
  const { signal } = deadline;
  try {
    const openTransport = await transportsFor(spec, ports, options, signal, deadline);
    return await shakeHands({
      serverId: spec.id,
      client: ports.client,
      kind: spec.transport,
      openTransport,
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
    throw late
      ? new UpstreamError('timed_out', `the server did not start within ${startupMs} ms${silentDownload(spec)}`)
      : error;
  } finally {
    deadline.end();
  }
}

/** Programs that download a server before they start it, mostly without a word. */
const DOWNLOADER = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx)(?:\.cmd|\.exe)?$/;

/** The likely cause where such a program does not come to an end. */
function silentDownload(spec: ServerSpec): string {
  const program = spec.transport === 'stdio' ? DOWNLOADER.exec(spec.command)?.[1] : undefined;
  if (program === undefined) return '';
  return `; ${program} downloads the server first: check that its registry can be reached from where Bindery was started (HTTPS_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE), or install the server beforehand`;
}

async function transportsFor(
  spec: ServerSpec,
  ports: ConnectPorts,
  options: ConnectOptions,
  signal: AbortSignal,
  deadline: StartupDeadline,
): Promise<(kind: TransportKind) => Transport> {
  if (spec.transport === 'stdio') {
    return () => {
      const transport = new StdioTransport(spec, ports, options.isBackground);
      options.onProcess?.(transport);
      return transport;
    };
  }
  const address = options.address ? await options.address(signal) : spec.url;
  const url = URL.parse(address ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UpstreamError('refused', 'the URL is not an HTTP URL');
  const tokens = spec.oauth === false ? undefined : ports.authorizerFor(spec, url);
  const authorizer: Authorizer | undefined = tokens && {
    authorization: (requestSignal) => tokens.authorization(requestSignal),
    challenged: (challenge, requestSignal) => deadline.during(() => tokens.challenged(challenge, requestSignal)),
  };
  const sender = new HttpSender({
    dispatcher: ports.dispatcherFor(spec),
    headers: { ...basicCredentials(url), ...spec.headers },
    authorizer,
    redact: ports.redact,
  });
  return (kind) => (kind === 'sse' ? new LegacySseTransport(url, sender) : new StreamableHttpTransport(url, sender));
}

/** What stands before the @ of an address; messages and redirects never show it. */
function basicCredentials(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The time for a start-up; it stands still while a person signs in, and ends early where nobody wants the server any more. */
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
