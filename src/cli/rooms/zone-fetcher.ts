import type { Dispatcher } from 'undici';
import { BIND_LIMITS } from '../../bind/limits.ts';
import type { FetchedZone, RemoteReason, RemoteResolvers } from '../../bind/remote-zones.ts';
import { isZoneSigned } from '../../bind/signed-zone.ts';
import { parseJson } from '../../contract/json.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import type { BindConfig, ResolverConfig } from './bind-config.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

type Resolvers = BindConfig['resolvers'];

/** Fetches zones from the currently configured resolvers, at public addresses only unless private ones are allowed. */
export function zoneFetcher(
  resolvers: () => Resolvers,
  allowPrivate: boolean,
  clock: Clock,
  log: Log,
): RemoteResolvers {
  let dispatcher: Dispatcher | undefined;
  const resolverOf = (authority: string): ResolverConfig | undefined => resolvers()[authority] ?? resolvers()['*'];
  return {
    isAny: () => Object.keys(resolvers()).length > 0,
    staleIfErrorSeconds: (authority) =>
      resolverOf(authority)?.stale_if_error_seconds ?? BIND_LIMITS.staleIfErrorSeconds,
    async askFor(authority, name) {
      const resolver = resolverOf(authority);
      if (!resolver) return failed('no_resolver');
      dispatcher ??= allowPrivate ? new (undici().Agent)() : createPublicAgent();
      const url = new URL(`/codex/zones/${name}`, resolver.url ?? `https://${authority}`);
      try {
        return await request(url, resolver, dispatcher, clock);
      } catch (error) {
        log.warn('another resolver did not answer', { authority, error });
        return failed(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreachable');
      }
    },
  };
}

async function request(url: URL, resolver: ResolverConfig, dispatcher: Dispatcher, clock: Clock): Promise<FetchedZone> {
  // Do not follow redirects: the resolver is the host that the configuration names.
  const answer = await undici().request(url, {
    dispatcher,
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(BIND_LIMITS.remoteTimeoutMs),
  });
  const text = await readBounded(answer.body);
  if (text === undefined) return failed('corrupt');
  if (answer.statusCode === 404) return { kind: 'absent' };
  if (answer.statusCode === 403) return failed('protected');
  const body = parseJson(text);
  if (answer.statusCode !== 200) return failed(isDamagedThere(body) ? 'corrupt' : 'unreachable');
  const { keys } = resolver;
  if (keys === undefined) return { kind: 'zone', text };
  const jws = answer.headers['zone-signature'];
  const isTrusted = typeof jws === 'string' && body !== undefined && isZoneSigned(body, jws, keys, clock.now());
  return isTrusted ? { kind: 'zone', text } : failed('untrusted');
}

/** Whether a resolver reports that its zone is damaged. */
function isDamagedThere(body: unknown): boolean {
  return (body as { code?: unknown } | null | undefined)?.code === 'ZONE_CORRUPT';
}

/** The text of a body; undefined if it exceeds the size limit of a zone, or is not UTF-8. */
async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > BIND_LIMITS.remoteZoneBytesMax) return undefined;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}

function failed(reason: RemoteReason): FetchedZone {
  return { kind: 'failed', reason };
}
