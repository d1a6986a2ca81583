import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { isName, toUri } from '../identity.ts';
import { type LintedIssue, lintCandidate, lintZones } from '../lint-zones.ts';
import { IdentityName } from '../request.ts';
import type { ZoneIssue } from '../zone.ts';
import { IssueOutput } from './outputs.ts';
import { printIssues } from './print.ts';

interface LintOutput {
  readonly ok: boolean;
  readonly checked: number;
  readonly issues: readonly (ZoneIssue | LintedIssue)[];
}

/** Zones → their issues. Stores nothing and makes no requests. */
export const lintOperation = defineOperation({
  id: 'bind.lint',
  summary: 'Check a given zone, a stored zone, or all stored zones.',
  description:
    'Checks a zone that you pass, or a stored one by its name, or all stored ones: wrong records, dangling and circular cascades, shadowed and duplicate endpoints, placeholder keys, names that look alike. It changes nothing and contacts nobody.',
  input: z.strictObject({
    identity: IdentityName.optional(),
    zone: z.record(z.string(), z.unknown()).optional().describe('A zone that is not stored yet'),
  }),
  output: z.object({
    ok: z.boolean(),
    checked: z.int(),
    issues: z.array(IssueOutput.extend({ identity: z.string().exactOptional() })),
  }),
  hints: READ_ONLY,
  http: { method: 'POST', path: '/codex/lint' },
  mcp: { tool: 'validate_zone' },
  cli: {
    command: 'bind lint',
    positional: ['identity'],
    files: ['zone'],
    print: ({ issues, checked }: LintOutput) => printIssues(issues, checked),
    exit: ({ ok }: LintOutput) => (ok ? 0 : 1),
  },
  failures: bindFailures,
  run: ({ identity, zone }, { zones, policy }: BindDeps): LintOutput => {
    if (zone) {
      const name = identity ?? zone.identity;
      if (typeof name !== 'string' || !isName(name)) {
        return report([{ level: 'error', code: 'wrong_identity', message: 'The zone has no valid identity.' }], 1);
      }
      return report(lintCandidate(zones, name, zone, policy), 1);
    }
    if (identity !== undefined && !zones.get(identity)) {
      throw new BinderyError('IDENTITY_NOT_FOUND', { members: { identity: toUri(identity) } });
    }
    const names = identity === undefined ? zones.names() : [identity];
    return report(lintZones(zones, names, policy), names.length);
  },
});

function report(issues: readonly (ZoneIssue | LintedIssue)[], checked: number): LintOutput {
  return { ok: issues.every((issue) => issue.level !== 'error'), checked, issues };
}
