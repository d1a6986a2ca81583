import { expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { PolicyReport } from './policy-report.ts';
import type { PolicyStatus } from './policy-status.ts';

function statusWith(message: string): PolicyStatus {
  const warning = { level: 'warning' as const, code: 'unknown_server', line: 4, pointer: '/allowlist', message };
  const layer = { layer: 'project', file: '/p/project_mcp.json', status: 'ok', sha256: 'ab12', loaded_at: 'now' };
  return { layers: [{ ...layer, errors: [], warnings: [warning] }] } as unknown as PolicyStatus;
}

test('a policy with only a doubt is no warning at the start, and a change of it is told in words', () => {
  const log = createMemoryLog();
  const report = new PolicyReport(log);
  report.report(statusWith('no server is called memry'));
  report.report(statusWith('no server is called memo'));
  const fields = expect.objectContaining({ file: '/p/project_mcp.json', status: 'ok', sha256: 'ab12' });
  expect(log.lines).toEqual([
    {
      level: 'info',
      message: 'policy: in force, but line 4: no server is called memry',
      fields,
    },
    {
      level: 'warn',
      message: 'policy: in force, but line 4: no server is called memo',
      fields,
    },
  ]);
});
