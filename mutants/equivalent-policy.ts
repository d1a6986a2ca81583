import type { KnownEquivalent } from './known-equivalent.ts';

/** Faults of policy that change nothing. */
export const EQUIVALENT_IN_POLICY: readonly KnownEquivalent[] = [
  {
    file: 'src/gateway/policy/parse-policy.ts',
    operator: 'always',
    line: "const value = member.node.type === 'number' ? (member.node.value as number) : Number.NaN;",
    to: 'true',
    reason: 'what is no number is no safe integer either, so the next line refuses it all the same',
  },
  {
    file: 'src/gateway/policy/parse-policy.ts',
    operator: 'left side only',
    line: 'return (member.node.children ?? []).flatMap((node, index) => {',
    to: 'member.node.children',
    reason: 'a list always has children, if only none',
  },
  {
    file: 'src/gateway/policy/decide.ts',
    operator: 'left out',
    line: 'placesByEntries.set(entries, places);',
    to: ';',
    reason: 'performance only: the places are looked up again, and are the same',
  },
  {
    file: 'src/gateway/policy/decide.ts',
    operator: 'never',
    line: 'if (known) return known;',
    to: 'false',
    reason: 'performance only: the places are looked up again, and are the same',
  },
  {
    file: 'src/gateway/policy/argument-places.ts',
    operator: 'never',
    line: 'if (text.length <= GATEWAY_LIMITS.addressSignsMax) return false;',
    to: 'false',
    reason: 'a shortcut for short texts: counting their signs says the same, only later',
  },
  {
    file: 'src/gateway/policy/argument-places.ts',
    operator: 'comparison',
    line: 'if (text.length <= GATEWAY_LIMITS.addressSignsMax) return false;',
    to: 'text.length < GATEWAY_LIMITS.addressSignsMax',
    reason: 'a shortcut for short texts: counting their signs says the same, only later',
  },
  {
    file: 'src/gateway/policy/hours.ts',
    operator: 'always',
    line: 'if (error instanceof RangeError) return false;',
    to: 'true',
    reason: 'a name that is no time zone is the only thing that the constructor refuses here, with a RangeError',
  },
  {
    file: 'src/gateway/policy/parse-policy.ts',
    operator: 'number',
    line: "servers: this.#names(members.get('servers'), true) ?? { entries: [], line: 1, pointer: '' },",
    to: '2',
    reason: 'a file without servers has an error, so that its document is not used',
  },
  {
    file: 'src/gateway/policy/address-literals.ts',
    operator: 'never',
    line: "if (part.startsWith('0x')) return Number.parseInt(part.slice(2) || '0', 16);",
    to: 'false',
    reason: 'Number reads hexadecimal digits as well; 0x without digits is an address by its form or not at all',
  },
];
