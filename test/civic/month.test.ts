import { expect, test } from 'vitest';
import { type MonthOptions, runMonth } from '../../bench/civic-month/month.ts';

/** A few days of a small corpus; `npm run bench:civic-month` runs the month. */
const DAYS: MonthOptions = {
  seed: 7,
  days: 3,
  drainDays: 8,
  size: { skills: 30, paths: 6, values: 3, references: 2 },
  honest: 40,
  attackers: { vandalism: 1, phishing: 2, injection: 1, personal_data: 1, spam: 0, ring: 1 },
  ringAddresses: 4,
};
/** A corpus that hardly anybody looks at. */
const LONELY: MonthOptions = { ...DAYS, honest: 3, drainDays: 3 };

test('some days of strangers harm nobody, and honest changes get in', async () => {
  const { honest, amendments, concerns, reviewHours } = await runMonth(DAYS);
  const harms = (['phishing', 'injection', 'personal_data'] as const).map((harm) => [
    amendments[harm].taken > 0,
    amendments[harm].served,
    concerns[harm].served,
  ]);
  expect([honest.changes > 4, honest.share >= 0.95, reviewHours <= 24, harms]).toEqual([
    true,
    true,
    true,
    [
      [true, 0, 0],
      [true, 0, 0],
      [true, 0, 0],
    ],
  ]);
});

test('the same seed gives the same days, and each defence shows in them', async () => {
  const lonely = await runMonth(LONELY);
  const open = await runMonth({ ...LONELY, without: 'protected_fields' });
  const bare = await runMonth({ ...LONELY, without: 'scrub' });
  const led = [lonely, open].map(({ amendments }) => amendments.phishing.served > 0);
  const told = [lonely, bare].map(({ concerns }) => concerns.personal_data.served > 0);
  expect([led, told, await runMonth(LONELY)]).toEqual([[false, true], [false, true], lonely]);
});
