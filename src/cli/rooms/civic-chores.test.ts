import { expect, test } from 'vitest';
import { FailureReport } from '../../contract/failure-report.ts';
import { Chores } from './civic-chores.ts';

function setUp() {
  const said: string[] = [];
  const log = {
    debug: () => {},
    info: (text: string) => said.push(text),
    warn: () => {},
    error: (text: string) => said.push(text),
  };
  return { said, chores: new Chores(), report: new FailureReport(log, { failing: 'it failed', again: 'it succeeds' }) };
}

test('chores are done one after the other, and the end waits for the one that runs', async () => {
  const { chores, report } = setUp();
  const done: string[] = [];
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  chores.add(report, async () => {
    done.push('first begins');
    await goOn;
    done.push('first ends');
  });
  chores.add(report, async () => done.push('second'));
  await Promise.resolve();
  const end = chores.close().then(() => done.push('end'));
  resolve();
  await end;
  expect(done).toEqual(['first begins', 'first ends', 'end']);
});

test('a chore that fails again and again is said once, and so is its end', async () => {
  const { chores, report, said } = setUp();
  const fail = () => Promise.reject(new Error('no'));
  chores.add(report, fail);
  chores.add(report, fail);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  chores.add(report, async () => resolve());
  await over;
  await chores.close();
  expect(said).toEqual(['it failed', 'it succeeds']);
});
