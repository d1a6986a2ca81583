import { DEFENCES, type Defence } from './civic-month/defences.ts';
import { type MonthOptions, runMonth } from './civic-month/month.ts';
import { WHOLE_CORPUS } from './civic-month/month-corpus.ts';
import { FLOOD_HEAD, floodRow, monthRow, tableHead } from './civic-month/report.ts';

/**
 * A month of a public corpus: 200 honest agents and 40 attackers on 300 artefacts, against the room's own routes, store and
 * folder. Then the same month again without one defence at a time. `--only=none,scrub` runs some of them, `--days=5 --drain=4`
 * fewer days. With `--flood=40` every spammer floods one artefact with so many concerns a day, which shows the limit on concerns.
 */

const flag = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

const MONTH: MonthOptions = {
  seed: 20_261_101,
  days: Number(flag('days') ?? 30),
  drainDays: Number(flag('drain') ?? 9),
  size: WHOLE_CORPUS,
  honest: 200,
  attackers: { vandalism: 8, phishing: 8, injection: 6, personal_data: 6, spam: 6, ring: 6 },
  ringAddresses: 24,
  flood: Number(flag('flood') ?? 0),
};
/** Limits on concerns only matter in a flood. */
const FLOOD_DEFENCE: Defence = 'concern_limits';

const only = flag('only')?.split(',');
const isFlood = MONTH.flood !== 0;
console.log(isFlood ? FLOOD_HEAD : tableHead());
for (const defence of ['none', ...DEFENCES] as const) {
  if (only ? !only.includes(defence) : defence !== 'none' && (defence === FLOOD_DEFENCE) !== isFlood) continue;
  const report = await runMonth(defence === 'none' ? MONTH : { ...MONTH, without: defence as Defence });
  console.log(isFlood ? floodRow(defence, report) : monthRow(defence, report));
  if (process.argv.includes('--all')) console.error(JSON.stringify(report, null, 1));
  if (defence !== 'none' || isFlood) continue;
  const served = Object.values(report.amendments).reduce((sum, { served }) => sum + served, 0);
  if (report.honest.share < 0.95 || report.reviewHours > 24) {
    console.error(
      `the month fails: ${report.honest.share} merged, ${served} harmful changes served, ${report.reviewHours} h`,
    );
    process.exitCode = 1;
  }
}
