import { contextErrors } from '../contract/errors/context.ts';
import { BinderyError, ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Failures } from '../contract/operation.ts';

/** Which code a bad member of the input has. */
const CODE_OF_MEMBER: Readonly<Record<string, ErrorCode>> = {
  '/cache': 'cache_missing',
  '/query': 'invalid_query',
  '/budget': 'invalid_budget',
};

/** The frozen failures of `context`: six codes, and for tools exactly one shape with one sentence each. */
export const contextFailures: Failures = {
  internal: 'internal_error',
  invalidInput: (issues) => {
    const known = Object.entries(CODE_OF_MEMBER).find(([member]) => issues.some(({ pointer }) => pointer === member));
    return new BinderyError(known?.[1] ?? 'invalid_query', { members: { errors: issues } });
  },
  toolText: ({ code }) => {
    const frozen = code in contextErrors ? code : 'internal_error';
    return `${JSON.stringify({ error: { code: frozen, message: ERRORS[frozen].title } })}\n`;
  },
};

/** `build` is only a command: a wrong option is a usage error. */
export const buildFailures: Failures = {
  ...contextFailures,
  invalidInput: (issues) =>
    new BinderyError('USAGE', {
      detail: issues.map(({ pointer, message }) => `${optionOf(pointer)} ${message}`).join('; '),
      members: { errors: issues },
    }),
};

/** The option that fills a member, or an item of it. */
function optionOf(pointer: string): string {
  const [, member = ''] = pointer.split('/');
  return `--${member.replaceAll('_', '-')}`;
}
