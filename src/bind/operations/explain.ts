import { z } from 'zod';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { explainCollapse } from '../explain.ts';
import { bindFailures } from '../failures.ts';
import { collapseMembers, QueriedName } from '../request.ts';
import { ExplanationOutput } from './outputs.ts';
import { printExplanation } from './print.ts';

/** An identity → why it has this endpoint, or why it has none. */
export const explainOperation = defineOperation({
  id: 'bind.explain',
  summary: 'Explain why a name collapses to its endpoint: every candidate, and why it won or lost.',
  input: z.strictObject({ identity: QueriedName, ...collapseMembers }),
  output: ExplanationOutput,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/codex/explain' },
  mcp: { tool: 'explain_collapse' },
  cli: {
    command: 'bind explain',
    positional: ['identity'],
    print: printExplanation,
    exit: (explanation) => (explanation.failure ? 1 : 0),
  },
  failures: bindFailures,
  run: async ({ identity, ...request }, { answers, policy }: BindDeps) => {
    await answers.gather({ ...request, name: identity });
    return explainCollapse(answers.zones, { ...request, name: identity }, policy);
  },
});
