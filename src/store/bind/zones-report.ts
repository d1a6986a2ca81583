import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';

/** Logs when zones cannot be followed. */
export function zonesReport(log: Log): FailureReport {
  return new FailureReport(log, {
    failing: 'zones cannot be read; the last known ones stay in use',
    again: 'zones can be read again',
  });
}
