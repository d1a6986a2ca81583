import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { AdministrationDeps } from './deps.ts';
import { Diagnosis } from './diagnosis.ts';

const MARKS = { ok: 'ok     ', warning: 'warning', error: 'error  ', fixed: 'fixed  ' } as const;

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
      findings
        .map(({ check, level, message, fix }) => {
          const remedy = fix === null ? '' : `${' '.repeat(INDENT)}→ ${fix}\n`;
          return `${MARKS[level]}  ${check.padEnd(CHECK_CHARS)} ${message}\n${remedy}`;
        })
        .join(''),
  },
  failures: defaultFailures,
  run: async ({ fix }, deps: AdministrationDeps) => {
    const findings = await deps.diagnose(fix);
    return { ok: findings.every(({ level }) => level !== 'error'), findings: findings.map((one) => ({ ...one })) };
  },
});

const CHECK_CHARS = 9;
const INDENT = 9;

export const doctorOperations = [doctor];
