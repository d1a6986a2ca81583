import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { type Problem, toProblem } from '../../contract/problem.ts';
import type { AnswerBody } from '../answers.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { parseIdentity, zoneKey } from '../identity.ts';
import { BIND_LIMITS } from '../limits.ts';
import { collapseMembers, Mode, toError } from '../request.ts';
import { BatchOutput } from './outputs.ts';
import { modeOf } from './resolve.ts';

/** Many identities → an answer or a problem for each, in the order of the question. */
export const resolveBatchOperation = defineOperation({
  id: 'bind.resolve_batch',
  summary: 'Resolve up to 100 names at once.',
  input: z.strictObject({
    identities: z.array(z.string()).min(1).max(BIND_LIMITS.batchMax).describe('Names to resolve'),
    mode: Mode,
    ...collapseMembers,
  }),
  output: BatchOutput,
  hints: READ_ONLY,
  http: {
    method: 'POST',
    path: '/codex/resolve',
    meta: () => ({ headers: { 'cache-control': 'no-store', vary: 'Accept' } }),
  },
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: async (
    { identities, mode, ...request },
    deps: BindDeps,
    call,
  ): Promise<{ results: (AnswerBody | Problem)[] }> => {
    const asked = modeOf(mode, call);
    const problem = (error: BinderyError) => toProblem(error, call.requestId, bindFailures);
    const questions = identities.map((text) => {
      const identity = parseIdentity(text);
      return identity && { ...request, name: zoneKey(identity), mode: asked };
    });
    await Promise.all(questions.map((question) => question && deps.answers.gather(question)));
    const results = questions.map((question) => {
      if (!question) return problem(new BinderyError('INVALID_IDENTITY'));
      const answer = deps.answers.answer(question);
      return answer.ok ? answer.body : problem(toError(answer.failure));
    });
    return { results };
  },
});
