import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { notPublicAddress, notPublicHost } from '../../contract/public-address.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** A host was not dialled because it is not public. */
export class HostNotPublic extends Error {
  readonly code = 'HOST_NOT_PUBLIC';
  readonly host: string;

  constructor(host: string, reason: string) {
    super(`${host} is not public: ${reason}`);
    this.host = host;
  }
}

export interface PublicAgentOptions {
  /** Gives the addresses that are dialled; default: those of the system's resolver, where all of them are public. */
  readonly lookup?: LookupFunction;
  readonly connectTimeoutMs?: number;
  /** 0: the request has a deadline of its own. */
  readonly answerTimeoutMs?: number;
}

/**
 * The connections for requests that a stranger can cause: a link that somebody cited, an endpoint that somebody registered, what
 * a server says about its authorization. They reach public addresses only. The address that was judged is the one that is
 * dialled, since a socket asks `lookup` once and takes no other. Redirects are the caller's: each hop comes through here.
 */
export function createPublicAgent(options: PublicAgentOptions = {}): Agent {
  const { lookup = publicLookup(), connectTimeoutMs = LIMITS.connectTimeoutMs, answerTimeoutMs = 0 } = options;
  const { Agent, buildConnector } = undici();
  const dial = buildConnector({ timeout: connectTimeoutMs, lookup });
  return new Agent({
    // A socket to an address, not a name, does not ask `lookup`.
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
    // Standing streams must not hold back requests.
    connections: null,
    pipelining: 1,
  });
}

/** Resolves names as `resolve` does, and fails where any of the addresses is not public. */
export function publicLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, family: 0, all: true }, (error, found) => {
      if (error) return callback(error, [], 0);
      const addresses = found as LookupAddress[];
      // One private address among public ones is the usual way to get past a check of the first.
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
