import { expect, test } from 'vitest';
import { FailureReport } from './failure-report.ts';
import { createMemoryLog } from './testing/memory-log.ts';

test('a failure is said once, with its cause, and so is its end', () => {
  const log = createMemoryLog();
  const report = new FailureReport(log, { failing: 'it fails', again: 'it works again' });
  const error = new Error('full');
  const fail = () => {
    throw error;
  };
  const done = [() => {}, fail, fail, () => {}, () => {}, fail].map((work) => report.attempt(work));
  expect(done).toEqual([true, false, false, true, true, false]);
  expect(log.lines).toEqual([
    { level: 'error', message: 'it fails', fields: { error } },
    { level: 'info', message: 'it works again', fields: {} },
    { level: 'error', message: 'it fails', fields: { error } },
  ]);
});
