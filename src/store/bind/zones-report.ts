import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';

/** What is said by whoever follows zones when they cannot be read. */
export function zonesReport(log: Log): FailureReport {
  return new FailureReport(log, {
    failing: 'zones cannot be followed, and stay as they are',
    again: 'zones are followed again',
  });
}
