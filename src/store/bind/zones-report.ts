import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';

/** Logs when zones cannot be followed. */
export function zonesReport(log: Log): FailureReport {
  return new FailureReport(log, {
    failing: 'zones cannot be followed, and stay as they are',
    again: 'zones are followed again',
  });
}
