import { findMutants, type Mutant } from './operators.ts';

/**
 * A fault that the program behaves the same with, or differs only in what nobody relies on. The source line identifies it, so an entry
 * falls out of use, and a run says so, once that line changes.
 */
export interface KnownEquivalent {
  readonly file: string;
  readonly operator: string;
  /** The first line of what is mutated, as it stands in the file, without its indentation. */
  readonly line: string;
  readonly to: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly KnownEquivalent[] = [
  {
    file: 'src/gateway/policy/parse-policy.ts',
    operator: 'always',
    line: "const value = member.node.type === 'number' ? (member.node.value as number) : Number.NaN;",
    to: 'true',
    reason: 'what is no number is no safe integer either, so the next line refuses it all the same',
  },
  {
    file: 'src/proxy/approvals/approval-gate.ts',
    operator: 'never',
    line: 'const members = { approval_id: approval.id, ...(decided_by === null ? {} : { approver: decided_by }) };',
    to: 'false',
    reason: 'an approver that is null is left out where members are read (approvalOf takes texts only)',
  },
  {
    file: 'src/civic/scrub/digit-chains.ts',
    operator: 'number',
    line: 'if (code >= 97 && code <= 122) return false;',
    to: '98',
    reason: 'a shortcut for small letters: the pattern behind it says the same of an a, only later',
  },
  {
    file: 'src/civic/scrub/find-foreign-links.ts',
    operator: 'left side only',
    line: "if (hosts.length === 0 || kind === 'closed' || !text.includes('://')) return [];",
    to: "hosts.length === 0 || kind === 'closed'",
    reason: 'a shortcut for texts without a link: the pattern behind it finds none in them',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'never',
    line: 'if (now < this.#lookAgainAt) return this.#isKept;',
    to: 'false',
    reason: 'performance only: the file is looked up each time, and the answer is never older than before',
  },
  {
    file: 'src/store/audit/audit-file.ts',
    operator: 'never',
    line: 'if (raw.length === 0) return this.#commit(entries);',
    to: 'false',
    reason: 'performance only: without raw arguments the same is written, in a transaction with a beginning and an end',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'number',
    line: '.sort(([a], [b]) => (a < b ? -1 : 1));',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'number',
    line: 'const [joined] = this.search({ call_id: callId }, 1);',
    to: '2',
    reason: 'the first one is taken, however many are found',
  },
  {
    file: 'src/host/oauth/sign-in.ts',
    operator: 'left side only',
    line: "const registered = stored?.issuer === plan.issuer ? URL.parse(stored.redirect_uri ?? '')?.port : undefined;",
    to: 'stored.redirect_uri',
    reason: 'what is undefined is no URL either',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'never',
    line: 'record: joinRecords(JSON.parse(begin), end === null ? undefined : JSON.parse(end)),',
    to: 'false',
    reason: 'null is read as the text "null", and an end that is null is none either',
  },
  {
    file: 'src/civic/scrub/find-instructions.ts',
    operator: 'comparison',
    line: `const LONG_WORD = new RegExp(\`[A-Za-z0-9+/_-]{\${SCRUB_LIMITS.keyCharsMax + 1}}\`);`,
    to: 'SCRUB_LIMITS.keyCharsMax - 1',
    reason: 'a shortcut for texts without a long word: the pattern behind it asks for one of the right length',
  },
  {
    file: 'src/host/oauth/oauth-authorizer.ts',
    operator: 'never',
    line: 'if (plan === undefined || plan.issuer !== this.#current?.issuer) return false;',
    to: 'false',
    reason:
      'the renewal compares the issuer again with what is stored, and one that fails ahead of time is passed over',
  },
  {
    file: 'src/host/connection/exchange/exchanges.ts',
    operator: 'never',
    line: 'if (this.#isLeavingLogsOut && beginsAsLogMessage(bytes) && (this.#isFlooded() || this.#leavesLogsOut(origin)))',
    to: 'false',
    reason: 'a shortcut: the same lines of a log are counted and left out once their envelope was read',
  },
  {
    file: 'src/host/connection/exchange/exchanges.ts',
    operator: 'always',
    line: 'if (!pending.settled) pending.reject(unanswered());',
    to: 'true',
    reason: 'a request that is settled takes no rejection: the condition only saves the making of an error',
  },
  {
    file: 'src/host/connection/pool/lease-pool.ts',
    operator: 'number',
    line: '#turn = 0;',
    to: '1',
    reason: 'turns are only compared with one another',
  },
  {
    file: 'src/host/connection/supervision/handshake.ts',
    operator: 'flag',
    line: 'await Promise.race([opened, sleep(LIMITS.serverStreamWaitMs, undefined, { ref: false })]);',
    to: 'true',
    reason: 'the timer could keep a process that ends meanwhile for a second longer, and nothing else',
  },
  {
    file: 'src/host/connection/connection.ts',
    operator: 'left side only',
    line: "if (method === 'tools/list' && this.era === '2026') this.#toolHeaders.learn(decoded.result.tools);",
    to: "method === 'tools/list'",
    reason: 'performance only: requests to servers of 2025 have no such headers',
  },
  {
    file: 'src/host/connection/supervision/supervised-server.ts',
    operator: 'comparison',
    line: 'isBackground: this.#backoff.failures > 0,',
    to: 'this.#backoff.failures >= 0',
    reason: 'it only says which of several processes the system starts first',
  },
  {
    file: 'src/host/connection/supervision/supervised-server.ts',
    operator: 'number',
    line: 'isBackground: this.#backoff.failures > 0,',
    to: '1',
    reason: 'it only says which of several processes the system starts first',
  },
  {
    file: 'src/proxy/call/pipeline.ts',
    operator: 'never',
    line: 'call.entry = call.judgement === judged ? { ...call.entry, time: ports.now() } : beginEntry(ports, call);',
    to: 'false',
    reason: 'performance only: the entry that is made anew is the same',
  },
  {
    file: 'src/proxy/call/gateway.ts',
    operator: 'always',
    line: 'return looking || listing ? Promise.all([looking, listing]) : undefined;',
    to: 'true',
    reason: 'performance only: a call for which there is nothing to wait waits for nothing',
  },
  {
    file: 'src/proxy/call/send.ts',
    operator: 'always',
    line: 'const upstream = found instanceof Promise ? await found : found;',
    to: 'true',
    reason: 'performance only: what is no promise is there a moment later',
  },
  {
    file: 'src/proxy/call/send.ts',
    operator: 'always',
    line: 'return await between(scope ? { ...theirs, options: { ...theirs.options, scope } } : theirs, upstream);',
    to: 'true',
    reason: 'performance only: a scope that is not there is copied as one that is not there',
  },
  {
    file: 'src/proxy/call/server-limiter.ts',
    operator: 'comparison',
    line: 'if (this.#queue.length > 0) this.#wakeNext();',
    to: 'this.#queue.length >= 0',
    reason: 'performance only: in an empty queue nobody is woken',
  },
];

/** Why a fault counts as equivalent, or nothing. */
export function equivalenceOf(mutant: Mutant, text: string, known = EQUIVALENT): string | undefined {
  const line = text.split('\n')[mutant.line - 1]?.trim();
  const match = known.find(
    (entry) =>
      entry.file === mutant.file && entry.operator === mutant.operator && entry.to === mutant.to && entry.line === line,
  );
  return match?.reason;
}

/** Entries that stand for no fault of the code any more. */
export function staleEquivalents(read: (file: string) => string | undefined, known = EQUIVALENT): KnownEquivalent[] {
  return known.filter((entry) => {
    const text = read(entry.file);
    return !text || !findMutants(entry.file, text).some((mutant) => equivalenceOf(mutant, text, [entry]));
  });
}
