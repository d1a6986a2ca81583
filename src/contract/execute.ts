import { BinderyError, toBinderyError } from './errors.ts';
import { inputIssues } from './input-issues.ts';
import { LIMITS } from './limits.ts';
import type { AnyOperation, Call, Failures, InputIssue } from './operation.ts';

export type Executed = { readonly ok: true; readonly output: unknown; readonly text: string; readonly input: unknown };

/**
 * Runs an operation on raw input: checks it, runs it, encodes the output. Throws only `BinderyError`.
 * A function supplies the raw input once the caller is admitted. If the operation is synchronous, so is this.
 * Every face calls this, so that equal input gives equal bytes or the same error on each of them.
 */
export function execute(
  operation: AnyOperation,
  rawInput: unknown,
  deps: unknown,
  call: Call,
): Executed | Promise<Executed> {
  operation.admit?.(deps, call);
  const raw = typeof rawInput === 'function' ? rawInput() : rawInput;
  const parsed = operation.input.safeParse(raw, { reportInput: true });
  if (!parsed.success) throw operation.failures.invalidInput(inputIssues(parsed.error).slice(0, LIMITS.inputIssuesMax));
  const finish = (output: unknown): Executed => {
    return { ok: true, output, text: encodeOutput(operation, output), input: parsed.data };
  };
  const fail = (thrown: unknown): never => {
    if (!(thrown instanceof BinderyError) && call.signal.aborted) {
      throw new BinderyError('CANCELLED', { cause: thrown });
    }
    throw toBinderyError(thrown, operation.failures.internal);
  };
  try {
    const output = operation.run(parsed.data, deps, call);
    return output instanceof Promise ? output.then(finish).catch(fail) : finish(output);
  } catch (thrown) {
    return fail(thrown);
  }
}

export function encodeOutput(operation: AnyOperation, output: unknown): string {
  return operation.encode ? operation.encode(output) : JSON.stringify(output);
}

/** The default failures of a room. */
export const defaultFailures: Failures = {
  internal: 'INTERNAL',
  invalidInput: (issues) =>
    new BinderyError('INVALID_ARGUMENTS', { detail: issueSentence(issues), members: { errors: issues } }),
};

export function issueSentence(issues: readonly InputIssue[]): string {
  return issues.map((issue) => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
}
