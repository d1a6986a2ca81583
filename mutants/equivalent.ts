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
  {
    file: 'src/gateway/audit/call-summary.ts',
    operator: 'number',
    line: '.sort(([a], [b]) => (a < b ? -1 : 1))',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
  },
  {
    file: 'src/gateway/audit/call-summary.ts',
    operator: 'comparison',
    line: '.sort(([a], [b]) => (a < b ? -1 : 1))',
    to: 'a <= b',
    reason: 'no two servers have one name',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'number',
    line: 'return ended.sort((a, b) => (a.time < b.time ? -1 : 1));',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'number',
    line: 'found.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : b.seq - a.seq));',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
  },
  {
    file: 'src/store/audit/audit-reader.ts',
    operator: 'comparison',
    line: 'for (let after = 0; after < last; ) {',
    to: 'after <= last',
    reason: 'performance only: nothing is left to read, which ends the export as well',
  },
  {
    file: 'src/store/audit/audit-file.ts',
    operator: 'comparison',
    line: 'if (ends.length > 0) this.#commit(ends);',
    to: 'ends.length >= 0',
    reason: 'performance only: a transaction of nothing changes nothing',
  },
  {
    file: 'src/store/audit/audit-file.ts',
    operator: 'always',
    line: 'if (ends.length > 0) this.#commit(ends);',
    to: 'true',
    reason: 'performance only: a transaction of nothing changes nothing',
  },
  {
    file: 'src/store/audit/audit-writer.ts',
    operator: 'always',
    line: 'if (entries.length === 0) setImmediate(() => this.flush());',
    to: 'true',
    reason: 'performance only: where nothing waits any more nothing is written',
  },
  {
    file: 'src/store/audit/audit-reads-worker.ts',
    operator: 'never',
    line: 'return { failure: String(error), store: { next, ...(detail === undefined ? {} : { detail }) } };',
    to: 'false',
    reason: 'a detail that is undefined is none',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'comparison',
    line: 'if (now < this.#lookAgainAt) return this.#isKept;',
    to: 'now <= this.#lookAgainAt',
    reason: 'a clock of microseconds is hardly ever there at that moment, and the next look says the same',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'comparison',
    line: 'this.#lookAgainAt = now + LIMITS.auditLookEveryMs;',
    to: 'now - LIMITS.auditLookEveryMs',
    reason: 'performance only: the file is looked up each time, and the answer is never older than before',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'left out',
    line: 'this.#lookAgainAt = now + LIMITS.auditLookEveryMs;',
    to: ';',
    reason: 'performance only: the file is looked up each time, and the answer is never older than before',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'number',
    line: '#lookAgainAt = 0;',
    to: '1',
    reason: 'no process is so young that it has not lived for a millisecond',
  },
  {
    file: 'src/store/audit/kept-file.ts',
    operator: 'flag',
    line: '#isKept = true;',
    to: 'false',
    reason: 'the first look comes before anybody asks',
  },
  {
    file: 'src/host/oauth/client-registration.ts',
    operator: 'right side only',
    line: 'return end !== undefined && end <= now;',
    to: 'end <= now',
    reason: 'what is undefined is not before any time',
  },
  {
    file: 'src/host/oauth/client-registration.ts',
    operator: 'never',
    line: '...(stored.client_secret === undefined ? {} : { clientSecret: stored.client_secret }),',
    to: 'false',
    reason: 'a secret that is undefined is none',
  },
  {
    file: 'src/host/oauth/client-registration.ts',
    operator: 'never',
    line: '...(stored.auth_method === undefined ? {} : { authMethod: stored.auth_method }),',
    to: 'false',
    reason: 'a method that is undefined is none',
  },
  {
    file: 'src/host/oauth/client-registration.ts',
    operator: 'never',
    line: '...(stored.client_secret_expires_at === undefined ? {} : { secretExpiresAt: stored.client_secret_expires_at }),',
    to: 'false',
    reason: 'a time that is undefined is none',
  },
  {
    file: 'src/host/oauth/oauth-authorizer.ts',
    operator: 'right side only',
    line: 'if (thrown instanceof OAuthError && DEAD_CLIENT.has(thrown.code)) {',
    to: 'DEAD_CLIENT.has(thrown.code)',
    reason: 'a sign-in fails with an OAuthError alone',
  },
  {
    file: 'src/host/oauth/oauth-authorizer.ts',
    operator: 'right side only',
    line: "const dead = thrown instanceof OAuthError && (thrown.code === 'invalid_grant' || DEAD_CLIENT.has(thrown.code));",
    to: "(thrown.code === 'invalid_grant' || DEAD_CLIENT.has(thrown.code))",
    reason: 'no other error has such a code',
  },
  {
    file: 'src/host/oauth/oauth-authorizer.ts',
    operator: 'right side only',
    line: 'if (plan === undefined || plan.issuer !== this.#current?.issuer) return false;',
    to: 'plan.issuer !== this.#current?.issuer',
    reason: 'a renewal that fails ahead of time is passed over',
  },
  {
    file: 'src/host/oauth/oauth-error.ts',
    operator: 'never',
    line: "return new BinderyError('SIGN_IN_FAILED', { detail, cause: failure, ...(next === undefined ? {} : { next }) });",
    to: 'false',
    reason: 'a next step that is undefined is the usual one of its code',
  },
  {
    file: 'src/host/oauth/discover-authorization.ts',
    operator: 'left side only',
    line: "const path = resource?.pathname.replace(/\\/$/, '') ?? '';",
    to: "resource?.pathname.replace(/\\/$/, '')",
    reason: 'without a resource the origin does not fit, whatever the path',
  },
  {
    file: 'src/proxy/call/gateway.ts',
    operator: 'never',
    line: 'if (view.catalogue().tools.has(name)) return undefined;',
    to: 'false',
    reason: 'a shortcut: for a tool that is known nothing is waited for either',
  },
  {
    file: 'src/proxy/call/send.ts',
    operator: 'never',
    line: '...(timeoutMs === undefined ? {} : { timeoutMs }),',
    to: 'false',
    reason: 'a deadline that is undefined is left out where the request is sent',
  },
  {
    file: 'src/host/connection/connection.ts',
    operator: 'right side only',
    line: 'while (!this.closed && this.exchanges.busy && hurry?.aborted !== true && performance.now() < deadline)',
    to: 'this.exchanges.busy',
    reason: 'a connection that is closed has no requests',
  },
  {
    file: 'src/host/connection/supervision/when-idle.ts',
    operator: 'number',
    line: 'if (leftMs() > 0 || exchanges.busy) wait();',
    to: '1',
    reason: 'a timer is no more exact than a millisecond',
  },
  {
    file: 'src/host/connection/exchange/subscription.ts',
    operator: 'flag',
    line: 'await sleep(pauseMs, undefined, { signal, ref: false });',
    to: 'true',
    reason: 'the pause ends with its connection, and a process closes those before it ends',
  },
  {
    file: 'src/host/connection/catalogue/debounce.ts',
    operator: 'number',
    line: 'const waitMs = Math.max(0, Math.min(quietMs, this.#first + this.#maxMs - now));',
    to: '1',
    reason: 'a timer is no more exact than a millisecond',
  },
  {
    file: 'src/civic/scrub/find-context.ts',
    operator: 'never',
    line: 'if (!/\\d/.test(text)) return hits;',
    to: 'false',
    reason: 'a shortcut for texts without a digit: the patterns behind it find nothing in them',
  },
  {
    file: 'src/civic/scrub/find-emails.ts',
    operator: 'never',
    line: "if (!text.includes('@') && !SPELLED_AT.test(text)) return [];",
    to: 'false',
    reason: 'a shortcut for texts without an at sign: the patterns behind it find nothing in them',
  },
  {
    file: 'src/civic/scrub/find-identifiers.ts',
    operator: 'never',
    line: 'if (digits < 2) return { hits, failed };',
    to: 'false',
    reason: 'a shortcut for texts with few digits: nothing is found in them',
  },
  {
    file: 'src/civic/scrub/find-identifiers.ts',
    operator: 'never',
    line: 'if (digits < 6) return { hits, failed };',
    to: 'false',
    reason: 'a shortcut for texts with few digits: nothing is found in them',
  },
  {
    file: 'src/civic/scrub/find-identifiers.ts',
    operator: 'never',
    line: 'if (chain.digits.length < 8) continue;',
    to: 'false',
    reason: 'a shortcut: a chain that is shorter has no window of eight digits',
  },
  {
    file: 'src/civic/scrub/find-secrets.ts',
    operator: 'never',
    line: 'if (!MAY_BE_KEY.test(text)) return hits;',
    to: 'false',
    reason: 'a shortcut for texts without a long word: the patterns behind it find nothing in them',
  },
  {
    file: 'src/civic/scrub/find-active-content.ts',
    operator: 'always',
    line: 'if (/[<:]/.test(text)) add(text, ACTIVE_CONTENT);',
    to: 'true',
    reason: 'a shortcut: each of the patterns has one of these signs',
  },
  {
    file: 'src/civic/scrub/find-active-content.ts',
    operator: 'right side only',
    line: "if (text.includes('&') && hits.length === 0) {",
    to: 'hits.length === 0',
    reason: 'a shortcut: without an ampersand the decoded text is the text',
  },
  {
    file: 'src/civic/scrub/normalise-text.ts',
    operator: 'never',
    line: 'if (ASCII.test(source)) return { text: source, startOf: (index) => index, endOf: (index) => index + 1 };',
    to: 'false',
    reason: 'a shortcut: what is ASCII stays as it is, unit by unit',
  },
  {
    file: 'src/civic/scrub/field-kinds.ts',
    operator: 'left out',
    line: 'compiled.set(fields, kindOf);',
    to: ';',
    reason: 'performance only: the patterns are read again each time',
  },
  {
    file: 'src/civic/scrub/scrub-submission.ts',
    operator: 'number',
    line: 'if (a.pointer !== b.pointer) return a.pointer < b.pointer ? -1 : 1;',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
  },
  {
    file: 'src/gateway/policy/parse-policy.ts',
    operator: 'left side only',
    line: 'return (member.node.children ?? []).flatMap((node, index) => {',
    to: 'member.node.children',
    reason: 'a list always has children, if only none',
  },
  {
    file: 'src/host/trust/shown-entry.ts',
    operator: 'left side only',
    line: "const words = transport === 'stdio' ? [command, ...maskedArguments(args)] : [maskedUrl(url ?? identity ?? '')];",
    to: 'url ?? identity',
    reason: 'an entry without a command has a URL or an identity, else it is invalid and shown as such',
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
