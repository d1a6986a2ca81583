import { timingSafeEqual } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operation.ts';
import type { Clock } from '../../contract/ports.ts';
import type { FoundPrints, PrintSearch } from '../review/print-search.ts';
import { isLoopback } from '../trust/canonical-address.ts';
import { clientAddress, type ProxyTrust } from '../trust/client-address.ts';
import { sha256 } from './content-hash.ts';
import type { Desk } from './desk.ts';
import { dayAllowance, RATE_LIMIT_POLICY, rateLimited, rateLimitText, type SlidingLimit } from './rate-limit.ts';
import type { CorpusWriter } from './settle-corpus.ts';

/** A clock that stands still until it is moved [C4]. */
export interface MovableClock extends Clock {
  moveTo(now: number): void;
}

/** What the operations of the write side run on. */
export interface WriteDeps extends Desk {
  readonly proxies: ProxyTrust;
  readonly burst: SlidingLimit;
  readonly reads: SlidingLimit;
  readonly writer: CorpusWriter;
  /** The credentials of maintainers at the moment; an empty one is never accepted. */
  maintainerTokens(): readonly string[];
  readonly probeToken: string | undefined;
  /** Where the server's clock may be moved. */
  readonly testClock: MovableClock | undefined;
  /** Does what is due now, and resolves when its effects are visible. */
  runJobs(): Promise<void>;
  /** Ends the work that jobs left in the background; resolves when none of it uses the store. */
  endJobs(): Promise<void>;
  /** Where in the data directory, in the corpus and in its history erased texts still stand. */
  findPrints(search: PrintSearch): FoundPrints;
  /** Removes the branches of queue items that are decided. */
  closeBranches(): Promise<void>;
  baseUrl(): string;
}

/** What is known of a caller once it is admitted. */
export interface Caller {
  readonly address: string;
  readonly dailyHash: string;
}

const callers = new WeakMap<Call, Caller>();

/** Counts a write request to its burst, before anything is read of it [X1]. */
export function admitWrite(deps: WriteDeps, call: Call): void {
  const address = clientAddress(call, deps.proxies);
  const dailyHash = deps.salts.daily(address);
  const isAdmitted = deps.burst.take(dailyHash);
  callers.set(call, { address, dailyHash });
  // A refusal tells what is left, too; an answer knows it without asking the store again.
  call.setHeader?.('ratelimit-policy', RATE_LIMIT_POLICY);
  call.setHeader?.('ratelimit', () => allowanceText(deps, dailyHash));
  if (!isAdmitted) throw rateLimited('burst', deps.burst.allowance(dailyHash).seconds);
}

/** The caller that was admitted with this call. */
export function callerOf(deps: WriteDeps, call: Call): Caller {
  const known = callers.get(call);
  if (known) return known;
  const address = clientAddress(call, deps.proxies);
  return { address, dailyHash: deps.salts.daily(address) };
}

/** Refuses who reads more than the limit; this machine's own reads are not counted [X2]. */
export function admitRead(deps: WriteDeps, call: Call): void {
  const address = clientAddress(call, deps.proxies);
  if (isLoopback(address)) return;
  const hash = deps.salts.daily(address);
  if (!deps.reads.take(hash)) throw rateLimited('read', deps.reads.allowance(hash).seconds);
}

/** Every answer to a writer says what is left [X3]. Belongs inside the transaction that may have taken something. */
export function tellAllowance(deps: WriteDeps, call: Call, { dailyHash }: Caller): void {
  call.setHeader?.('ratelimit', allowanceText(deps, dailyHash));
}

function allowanceText(deps: WriteDeps, dailyHash: string): string {
  const day = dayAllowance(deps.store.dayItemCount(dailyHash), deps.clock.now());
  return rateLimitText(deps.burst.allowance(dailyHash), day);
}

/** Commands act on the store and need no token, nor does a browser that signed in as the admin; everyone else shows one [C7]. */
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

/** Compares digests, so that neither length nor prefix shows in the time. */
function bearerIs(call: Call, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(call.header('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token))) && token !== '';
}
