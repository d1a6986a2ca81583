import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import type { AdministrationDeps } from './deps.ts';
import { Diagnosis } from './diagnosis.ts';

const doctor = defineOperation({
  id: 'gateway.doctor',
  summary: 'Find problems of this set-up, and say how to fix them.',
  input: z.strictObject({ fix: z.boolean().default(false).describe('fix what is safe to fix') }),
  output: z.object({ ok: z.boolean(), findings: z.array(Diagnosis) }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'doctor',
    exit: ({ ok }) => (ok ? 0 : 1),
    print: ({ findings }) =>
      tabLines(
        findings.flatMap(({ check, level, message, fix }) => [
          [level, check, message],
          ...(fix === null ? [] : [['', '', `→ ${fix}`]]),
        ]),
      ),
  },
  failures: defaultFailures,
  run: async ({ fix }, deps: AdministrationDeps) => {
    const findings = await deps.diagnose(fix);
    return { ok: findings.every(({ level }) => level !== 'error'), findings: findings.map((one) => ({ ...one })) };
  },
});

export const doctorOperations = [doctor];
