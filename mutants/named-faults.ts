import type { Mutant } from './operators.ts';

/** A fault that a reviewer named, not an operator: most are about a second party, leftovers, or a limit. */
export interface NamedFault {
  readonly title: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

export const NAMED_FAULTS: readonly NamedFault[] = [
  {
    title: 'a carried state is signed with an empty key',
    file: 'src/proxy/approvals/approval-gate.ts',
    from: 'this.#options.keys[0] as Uint8Array',
    to: 'new Uint8Array()',
  },
  {
    title: 'a state that an empty key signed is accepted',
    file: 'src/gateway/approval/request-state.ts',
    from: 'keys.some((key) =>',
    to: '[...keys, new Uint8Array()].some((key) =>',
  },
  {
    title: 'a state that any key signed is accepted',
    file: 'src/gateway/approval/request-state.ts',
    from: 'given.length === expected.length && timingSafeEqual(given, expected)',
    to: 'given.length === expected.length',
  },
  {
    title: 'the caller of a carried state is not compared',
    file: 'src/proxy/approvals/approval-gate.ts',
    from: 'state.caller === key.caller &&',
    to: '',
  },
  {
    title: 'only the newest key reads a carried state',
    file: 'src/gateway/approval/request-state.ts',
    from: 'keys.some((key) =>',
    to: 'keys.slice(0, 1).some((key) =>',
  },
  {
    title: 'the digest of arguments depends on the order of members',
    file: 'src/gateway/approval/approval.ts',
    from: 'sha256Hex(canonicalJson(args ?? {}))',
    to: 'sha256Hex(JSON.stringify(args ?? {}))',
  },
  {
    title: 'a decision by allowed_domains alone is cached by tool',
    file: 'src/gateway/policy/decide.ts',
    from: ' || rule.allowedDomains !== undefined;',
    to: ';',
  },
  {
    title: 'a decision by hours is cached by tool',
    file: 'src/gateway/policy/decision-cache.ts',
    from: ' || judgement.judgesTime',
    to: '',
  },
  {
    title: 'hours are not judged',
    file: 'src/gateway/policy/decide.ts',
    from: 'const at = hours.length > 0 ? attempt.now?.() : undefined;',
    to: 'const at = undefined;',
  },
  {
    title: 'a cached decision survives the change of an earlier layer',
    file: 'src/gateway/policy/decision-cache.ts',
    from: ' && before.layers.every((layer, index) => layer === layers[index])',
    to: '',
  },
  {
    title: 'a cached decision survives the removal of a layer',
    file: 'src/gateway/policy/decision-cache.ts',
    from: 'before?.layers.length === layers.length && before.layers',
    to: 'before?.layers',
  },
  {
    title: 'a missing remember means session',
    file: 'src/gateway/policy/decide.ts',
    from: "REMEMBER.indexOf(rule.remember ?? 'never')",
    to: "REMEMBER.indexOf(rule.remember ?? 'session')",
  },
  {
    title: 'a refresh token is sent to another issuer',
    file: 'src/host/oauth/oauth-authorizer.ts',
    from: 'stored?.refresh_token === undefined || stored.issuer !== plan.issuer',
    to: 'stored?.refresh_token === undefined',
  },
  {
    title: 'resource metadata of /mc is accepted for /mcp',
    file: 'src/host/oauth/discover-authorization.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    from: '`${serverUrl.pathname}/`.startsWith(`${path}/`)',
    to: 'serverUrl.pathname.startsWith(path)',
  },
  {
    title: 'a client whose secret has ended is used to sign in',
    file: 'src/host/oauth/client-registration.ts',
    from: '  if (hasExpiredSecret(stored, now)) return undefined;\n',
    to: '',
  },
  {
    title: 'a client whose secret has ended is used to renew',
    file: 'src/host/oauth/oauth-authorizer.ts',
    from: '      if (hasExpiredSecret(stored, this.#ports.now())) return false;\n',
    to: '',
  },
  {
    title: 'a slot that is handed over is also counted free',
    file: 'src/host/connection/pool/semaphore.ts',
    from: 'if (next === undefined) this.#free++;\n    else next();',
    to: 'this.#free++;\n    next?.();',
  },
  {
    title: 'two calls of one turn get one session',
    file: 'src/host/connection/pool/lease-pool.ts',
    from: 'place.exclusive = exclusive;',
    to: '',
  },
  {
    title: 'one own connection beyond the limit is opened',
    file: 'src/host/connection/pool/lease-pool.ts',
    from: 'this.#waiting.length === 0 && this.#places < this.#options.max',
    to: 'this.#waiting.length === 0 && this.#places <= this.#options.max',
  },
  {
    title: 'an answer on another request’s stream is accepted',
    file: 'src/host/connection/exchange/exchanges.ts',
    from: ' || (origin !== undefined && pending !== origin)',
    to: '',
  },
  {
    title: 'an answer of exactly the maximum is refused',
    file: 'src/host/connection/exchange/exchanges.ts',
    from: 'bytes.length > answerBytesMax',
    to: 'bytes.length >= answerBytesMax',
  },
  {
    title: 'a body of exactly the maximum is refused',
    file: 'src/host/transports/http-exchange.ts',
    from: 'this.#bytes > this.#bytesMax',
    to: 'this.#bytes >= this.#bytesMax',
  },
  {
    title: 'the hurry signal is ignored',
    file: 'src/host/connection/connection.ts',
    from: ' && hurry?.aborted !== true',
    to: '',
  },
  {
    title: 'the hurry signal does not reach the connection',
    file: 'src/host/connection/supervision/supervised-server.ts',
    from: 'connection?.closeWhenIdle(graceMs, hurry)',
    to: 'connection?.closeWhenIdle(graceMs)',
  },
  {
    title: 'the loser of a shared approval keeps its slot',
    file: 'src/proxy/call/admission.ts',
    from: "if (!isOurs) call.limiter.release(limitedTool(call), 'abandoned');",
    to: '',
  },
  {
    title: 'a client that opens addresses only is asked forms',
    file: 'src/proxy/call/forward.ts',
    from: "(mode === 'form' && declared.url === undefined)",
    to: "mode === 'form'",
  },
  {
    title: 'a call is sent a third time after a sign-in',
    file: 'src/proxy/call/send.ts',
    from: 'tries > 1 ||',
    to: 'tries > 2 ||',
  },
  {
    title: 'a checkpoint vouches whatever its hash',
    file: 'src/gateway/audit/verify-chain.ts',
    from: ' && checkpoint.through_hash === first.prev_hash',
    to: '',
  },
  {
    title: 'the old cache is not put back when the second rename fails',
    file: 'src/store/context/swap-folder.ts',
    from: '      if (hasOld) renameSync(this.#old, this.#target);\n',
    to: '',
  },
  {
    title: 'numbers with three separators between digits are missed',
    file: 'src/civic/scrub/limits.ts',
    from: 'separatorsMax: 3,',
    to: 'separatorsMax: 2,',
  },
  {
    title: 'numbers with a minus sign between digits are missed',
    file: 'src/civic/scrub/digit-chains.ts',
    from: '\\\\u2015\\\\u2212',
    to: '\\\\u2015',
  },
];

/** A named fault in its file; undefined if its text does not occur exactly once. */
export function namedMutant({ title, file, from, to }: NamedFault, text: string): Mutant | undefined {
  const start = text.indexOf(from);
  if (start < 0 || text.includes(from, start + 1)) return undefined;
  const line = text.slice(0, start).split('\n').length;
  return { file, operator: title, start, end: start + from.length, line, from, to };
}
