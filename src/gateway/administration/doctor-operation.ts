import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import { tabLines } from '../../contract/paging.ts';
import type { AdministrationDeps } from './deps.ts';
import { Diagnosis } from './diagnosis.ts';

type DoctorDeps = Pick<AdministrationDeps, 'diagnose'>;

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
    manyLines: ['message'],
    print: ({ findings }) =>
      tabLines(
        findings.flatMap(({ check, level, message, fix }) => [
          [level, check, message],
          ...(fix === null ? [] : [['', '', `→ ${fix}`]]),
        ]),
      ),
  },
  failures: defaultFailures,
  run: ({ fix }, deps: DoctorDeps) => examine(deps, fix),
});

/** Repairs nothing over HTTP, because the reader may not be at the machine. */
export const listFindings = defineOperation({
  id: 'gateway.findings',
  summary: 'Say what `bindery doctor` finds on the machine of the gateway; nothing is mended.',
  input: z.strictObject({}),
  output: doctor.output,
  hints: READ_ONLY,
  // The token that all callers share must not show the owner's machine.
  http: { method: 'GET', path: '/v1/doctor', showsCallers: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (_input, deps: DoctorDeps, call) => {
    refuseAllButOwner(call);
    return examine(deps, false);
  },
});

async function examine(deps: DoctorDeps, fix: boolean): Promise<{ ok: boolean; findings: Diagnosis[] }> {
  const findings = await deps.diagnose(fix);
  return { ok: findings.every(({ level }) => level !== 'error'), findings: findings.map((one) => ({ ...one })) };
}

export const doctorOperations = [doctor, listFindings];
