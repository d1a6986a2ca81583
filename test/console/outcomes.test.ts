import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { hasOutcome } from '../../console/src/data/outcomes.ts';
import type { Call } from '../../console/src/data/types.ts';
import { OUTCOME_GROUPS, UNDECIDED_RULE } from '../../src/gateway/audit/outcome-groups.ts';
import { groupCondition } from '../../src/store/audit/outcome-condition.ts';

const OUTCOMES = [
  'ok',
  'tool_error',
  'denied',
  'rate_limited',
  'breaker_open',
  'timed_out',
  'cancelled',
  'interrupted',
];

test('the page and the gateway choose the same records for each outcome and each group', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE ended (id INTEGER, outcome TEXT, rule TEXT)');
  const records = [...OUTCOMES, undefined].flatMap((outcome) =>
    [undefined, 'denylist', UNDECIDED_RULE].map((rule) => ({ outcome, rule })),
  );
  const add = database.prepare('INSERT INTO ended VALUES (?, ?, ?)');
  for (const [id, { outcome, rule }] of records.entries()) add.run(id, outcome ?? null, rule ?? null);
  const ofGateway = (asked: string) => {
    const group = groupCondition(asked, 'outcome', 'rule');
    const rows = database.prepare(`SELECT id FROM ended WHERE ${group ?? `outcome = '${asked}'`} ORDER BY id`).all();
    return rows.map(({ id }) => Number(id));
  };
  const ofPage = (asked: string) =>
    records.flatMap(({ outcome, rule }, id) => {
      const call = { outcome, rule: rule === undefined ? undefined : { rule } } as Pick<Call, 'outcome' | 'rule'>;
      return hasOutcome(call, asked) ? [id] : [];
    });
  const asked = [...OUTCOMES, ...OUTCOME_GROUPS];
  expect(asked.map((one) => [one, ofPage(one)])).toEqual(asked.map((one) => [one, ofGateway(one)]));
});
