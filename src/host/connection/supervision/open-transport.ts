import { type TransportKind, UpstreamError } from '../../../wire/upstream.ts';
import type { EntryPool } from '../../transports/http-pool.ts';
import { type Authorizer, HttpSender } from '../../transports/http-sender.ts';
import { LegacySseTransport } from '../../transports/legacy-sse.ts';
import { type StdioPorts, StdioTransport } from '../../transports/stdio.ts';
import { StreamableHttpTransport } from '../../transports/streamable-http.ts';
import type { Transport } from '../../transports/transport.ts';
import type { HttpSpec, ServerSpec } from './server-set.ts';

export interface TransportPorts extends StdioPorts {
  /** The connection pool for a server; the spec decides which addresses are allowed. */
  readonly dispatcherFor: (spec: HttpSpec) => EntryPool;
  /** Provides tokens for this server; undefined: no authorization. */
  readonly authorizerFor: (spec: HttpSpec, url: URL) => Authorizer | undefined;
}

export interface TransportOptions {
  /** Resolves the server's address; default: its URL. */
  readonly address?: (signal: AbortSignal) => Promise<string>;
  /** Start the process with low priority, because the last start failed or no call waits. */
  readonly isBackground?: boolean;
  /** The process of a stdio server, for its stderr. */
  readonly onProcess?: (transport: StdioTransport) => void;
}

interface StartUp extends TransportOptions {
  readonly signal: AbortSignal;
  /** Wraps a sign-in, which may take longer than the start-up time. */
  readonly duringSignIn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Returns a function that opens a transport, after resolving the server's address. */
export async function transportsFor(
  spec: ServerSpec,
  ports: TransportPorts,
  { signal, isBackground, onProcess, address: find, duringSignIn }: StartUp,
): Promise<(kind: TransportKind) => Transport> {
  if (spec.transport === 'stdio') {
    return () => {
      const transport = new StdioTransport(spec, ports, isBackground);
      onProcess?.(transport);
      return transport;
    };
  }
  const address = find ? await find(signal) : spec.url;
  const url = URL.parse(address ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UpstreamError('refused', 'the URL is not an HTTP URL');
  const tokens = spec.oauth === false ? undefined : ports.authorizerFor(spec, url);
  const authorizer: Authorizer | undefined = tokens && {
    authorization: (requestSignal) => tokens.authorization(requestSignal),
    challenged: (challenge, requestSignal) => duringSignIn(() => tokens.challenged(challenge, requestSignal)),
  };
  const sender = new HttpSender({
    dispatcher: ports.dispatcherFor(spec),
    headers: { ...basicCredentials(url), ...spec.headers },
    authorizer,
    redact: ports.redact,
  });
  return (kind) => (kind === 'sse' ? new LegacySseTransport(url, sender) : new StreamableHttpTransport(url, sender));
}

/** Basic authentication from the user info of the URL; messages and redirects never show it. */
function basicCredentials(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
