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
    operator: 'number',
    line: 'if (earlier) return this.#furtherRound(earlier, key, carried?.round ?? 0);',
    to: '1',
    reason: 'a state with the state of a server inside always has the number of its round: wrapState writes both',
  },
  {
    file: 'src/proxy/approvals/approval-gate.ts',
    operator: 'never',
    line: 'const members = { approval_id: approval.id, ...(decided_by === null ? {} : { approver: decided_by }) };',
    to: 'false',
    reason: 'an approver that is null is left out where members are read (approvalOf takes texts only)',
  },
  {
    file: 'src/proxy/call/gateway.ts',
    operator: 'left side only',
    line: 'if (view !== this.view(client.profile) || this.#search.isOwn(view, name)) return undefined;',
    to: 'view !== this.view(client.profile)',
    reason: 'the tools of the search are in no catalogue, so the next line finds no entry and returns the same',
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
    file: 'src/host/trust/launch-digest.ts',
    operator: 'no filter',
    line: 'LAUNCH_KEYS.filter((key) => members[key] !== undefined).map((key) => [key, members[key]]),',
    to: 'LAUNCH_KEYS',
    reason: 'canonical JSON leaves out members that are undefined, so the digest is the same',
  },
  {
    file: 'src/host/trust/trust-store.ts',
    operator: 'number',
    line: '.sort((a, b) => (a.id < b.id ? -1 : 1));',
    to: '2',
    reason: 'a sort looks at the sign of what its comparison gives, not at its size',
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
