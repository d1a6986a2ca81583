import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { notPublicAddress, notPublicHost } from '../../contract/public-address.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** The host was not dialled because its address is not public. */
export class HostNotPublic extends Error {
  readonly code = 'HOST_NOT_PUBLIC';
  readonly host: string;

  constructor(host: string, reason: string) {
    super(`${host} is not public: ${reason}`);
    this.host = host;
  }
}

export interface PublicAgentOptions {
  /** Resolves the addresses to dial; default: the system's resolver, if all its addresses are public. */
  readonly lookup?: LookupFunction;
  readonly connectTimeoutMs?: number;
  /** 0: no timeout, because the request has its own deadline. */
  readonly answerTimeoutMs?: number;
}

/**
 * Connections for requests that a stranger can cause: a cited link, a registered endpoint, the authorization metadata of a server. They
 * reach public addresses only. The checked address is the dialled one, because a socket calls `lookup` once and uses that result.
 * Callers follow redirects, and send each hop through here.
 */
export function createPublicAgent(options: PublicAgentOptions = {}): Agent {
  const { lookup = publicLookup(), connectTimeoutMs = LIMITS.connectTimeoutMs, answerTimeoutMs = 0 } = options;
  const { Agent, buildConnector } = undici();
  const dial = buildConnector({ timeout: connectTimeoutMs, lookup });
  return new Agent({
    // A socket to an IP address does not call `lookup`.
    connect: (target, callback) => {
      const reason = notPublicHost(target.hostname);
      if (reason === undefined) dial(target, callback);
      else callback(new HostNotPublic(target.hostname, reason), null);
    },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    keepAliveTimeout: LIMITS.keepAliveUnannouncedMs,
    keepAliveMaxTimeout: LIMITS.keepAliveMs,
    maxHeaderSize: LIMITS.headBytesMax,
    // Long-lived streams must not block requests.
    connections: null,
    pipelining: 1,
  });
}

/** Resolves names with `resolve`, and fails if any address is not public. */
export function publicLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, family: 0, all: true }, (error, found) => {
      if (error) return callback(error, [], 0);
      const addresses = found as LookupAddress[];
      // Mixing one private address among public ones is a usual way around a check of the first only.
      const reason = addresses.map(({ address }) => notPublicAddress(address)).find((why) => why !== undefined);
      if (reason !== undefined) return callback(new HostNotPublic(hostname, reason), [], 0);
      const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
      const [first] = wanted;
      if (!first) return callback(notFound(hostname), [], 0);
      if (options.all) callback(null, wanted);
      else callback(null, first.address, first.family);
    });
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}
