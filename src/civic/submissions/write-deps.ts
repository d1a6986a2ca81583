import { timingSafeEqual } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';
import type { Clock } from '../../contract/ports.ts';
import type { FoundPrints, PrintSearch } from '../review/print-search.ts';
import type { SiteHistory } from '../site/site-source.ts';
import { isLoopback } from '../trust/canonical-address.ts';
import { clientAddress, type ProxyTrust } from '../trust/client-address.ts';
import { sha256 } from './content-hash.ts';
import type { Desk, FilesInTheWay } from './desk.ts';
import { dayAllowance, RATE_LIMIT_POLICY, rateLimited, rateLimitText, type SlidingLimit } from './rate-limit.ts';
import type { CorpusWriter } from './settle-corpus.ts';

/** A clock that only moves when told to [C4]. */
export interface MovableClock extends Clock {
  moveTo(now: number): void;
}

/** Dependencies of the write operations. */
export interface WriteDeps extends Desk {
  readonly proxies: ProxyTrust;
  readonly burst: SlidingLimit;
  readonly reads: SlidingLimit;
  readonly writer: CorpusWriter;
  /** The current maintainer tokens; an empty one is never accepted. */
  maintainerTokens(): readonly string[];
  readonly probeToken: string | undefined;
  /** Set if the server's clock may be moved. */
  readonly testClock: MovableClock | undefined;
  /** Runs everything that is due, and resolves when its effects are visible. */
  runJobs(): Promise<void>;
  /** Stops background work of jobs; resolves when none of it uses the store. */
  endJobs(): Promise<void>;
  /** Finds erased texts that remain in the data directory, the corpus or its history. */
  findPrints(search: PrintSearch): FoundPrints;
  /** The commits of the corpus, as the site reads them. */
  history(): Promise<SiteHistory>;
  /** What keeps the changes of the remote from being taken over. */
  inTheWay(): Promise<FilesInTheWay | undefined>;
  /** Removes the branches of decided queue items. */
  closeBranches(): Promise<void>;
  baseUrl(): string;
}

export interface Caller {
  readonly address: string;
  readonly dailyHash: string;
}

const callers = new WeakMap<Call, Caller>();

/** Counts a write request towards its burst limit, before reading it [X1]. */
export function admitWrite(deps: WriteDeps, call: Call): void {
  const address = clientAddress(call, deps.proxies);
  const dailyHash = deps.salts.daily(address);
  const isAdmitted = deps.burst.take(dailyHash);
  callers.set(call, { address, dailyHash });
  // Refusals carry these headers too. Answers replace the lazy value, without another query.
  call.setHeader?.('ratelimit-policy', RATE_LIMIT_POLICY);
  call.setHeader?.('ratelimit', () => allowanceText(deps, dailyHash));
  if (!isAdmitted) throw rateLimited('burst', deps.burst.allowance(dailyHash).seconds);
}

/** The caller of an admitted call. */
export function callerOf(deps: WriteDeps, call: Call): Caller {
  const known = callers.get(call);
  if (known) return known;
  const address = clientAddress(call, deps.proxies);
  return { address, dailyHash: deps.salts.daily(address) };
}

/** Throttles reads; reads from this machine are not counted [X2]. */
export function admitRead(deps: WriteDeps, call: Call): void {
  const address = clientAddress(call, deps.proxies);
  if (isLoopback(address)) return;
  const hash = deps.salts.daily(address);
  if (!deps.reads.take(hash)) throw rateLimited('read', deps.reads.allowance(hash).seconds);
}

/** Every answer to a writer states the remaining allowance [X3]. Call it inside the transaction that may have used some. */
export function tellAllowance(deps: WriteDeps, call: Call, { dailyHash }: Caller): void {
  call.setHeader?.('ratelimit', allowanceText(deps, dailyHash));
}

function allowanceText(deps: WriteDeps, dailyHash: string): string {
  const day = dayAllowance(deps.store.dayItemCount(dailyHash), deps.clock.now());
  return rateLimitText(deps.burst.allowance(dailyHash), day);
}

/** Commands act on the store and need no token, nor does a browser signed in as admin; every other caller needs one [C7]. */
export function requireMaintainer(deps: WriteDeps, call: Call): void {
  if (
    call.face === 'cli' ||
    call.signIn !== undefined ||
    deps.maintainerTokens().some((token) => bearerIs(call, token))
  )
    return;
  throw new BinderyError('maintainer_required');
}

export function isProbe(deps: WriteDeps, call: Call): boolean {
  return deps.probeToken !== undefined && bearerIs(call, deps.probeToken);
}

/** Compares digests, so that timing reveals neither length nor prefix. */
function bearerIs(call: Call, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(call.header('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token))) && token !== '';
}
