import { BinderyError, type ErrorCode } from '../contract/errors.ts';
import { issueSentence } from '../contract/execute.ts';
import type { Failures, InputIssue } from '../contract/operation.ts';
import { BIND_LIMITS } from './limits.ts';

const NEGATIVE: readonly string[] = [
  'PROTECTED',
  'IDENTITY_NOT_FOUND',
  'RESOLVER_UNKNOWN',
  'NO_MCP_RECORDS',
  'CAPS_UNSATISFIED',
];
const TRANSIENT: readonly string[] = ['ZONE_CORRUPT', 'RESOLVER_FAILED', 'CASCADE_FAILED', 'INVALID_ENDPOINT'];

/** How the room's failures look on every face. */
export const bindFailures: Failures = {
  internal: 'INTERNAL',
  invalidInput: (issues) => {
    const { code, about } = firstInvalid(issues);
    return new BinderyError(code, { detail: issueSentence(about), members: { errors: about } });
  },
  problem: (error) => {
    const ttl = failureTtl(error.code);
    return {
      ...(error.code === 'CASCADE_FAILED' && error.members.reason === 'cycle' ? { status: 508 } : {}),
      ...(ttl === undefined ? {} : { ttl }),
    };
  },
  headers: (error) => {
    const ttl = failureTtl(error.code);
    return {
      vary: 'Accept',
      ...(ttl === undefined ? {} : { 'cache-control': `public, max-age=${ttl}` }),
      ...(error.code === 'REGISTRAR_KEY_REQUIRED' ? { 'www-authenticate': 'Bearer realm="zones"' } : {}),
    };
  },
};

/** How long clients may cache an answer without endpoint; undefined: not at all. */
function failureTtl(code: ErrorCode): number | undefined {
  if (NEGATIVE.includes(code)) return BIND_LIMITS.negativeTtlSeconds;
  return TRANSIENT.includes(code) ? BIND_LIMITS.transientTtlSeconds : undefined;
}

/** One error only: the identity first, then the mode, then every other parameter. */
function firstInvalid(issues: readonly InputIssue[]): { code: ErrorCode; about: readonly InputIssue[] } {
  const identity = issues.filter((issue) => issue.pointer === '/identity');
  if (identity.length > 0) return { code: 'INVALID_IDENTITY', about: identity };
  const mode = issues.filter((issue) => issue.pointer === '/mode' && issue.keyword === 'enum');
  return mode.length > 0 ? { code: 'UNKNOWN_MODE', about: mode } : { code: 'INVALID_PARAMETER', about: issues };
}
