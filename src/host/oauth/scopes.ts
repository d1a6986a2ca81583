import { OAUTH_LIMITS as LIMITS } from './limits.ts';

/** A scope as RFC 6749 has it: printable ASCII without blanks, quotation marks and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The scopes of several lists, each once, in the order of their first mention; undefined if there are none. */
export function unionScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const all = new Set(lists.flatMap((list) => list?.split(' ') ?? []).filter((scope) => SCOPE.test(scope)));
  return all.size === 0 ? undefined : [...all].slice(0, LIMITS.scopesMax).join(' ');
}

/** Whether every scope of `wanted` is in `had`. */
export function coversScopes(had: string | undefined, wanted: string | undefined): boolean {
  const owned = new Set(had?.split(' '));
  return (wanted?.split(' ') ?? []).every((scope) => scope === '' || owned.has(scope));
}
