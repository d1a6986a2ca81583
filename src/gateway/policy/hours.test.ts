import fc from 'fast-check';
import { expect, test } from 'vitest';
import { includesShown, type NaiveHours } from '../../../test/naive/policy.ts';
import { DAYS, type Hours, isTimeZone, isWithin, nextOpening, openingSentence, zonedTime } from './hours.ts';
import { parseHours } from './parse-hours.ts';

const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 1_440;
const OFFICE = { from: '08:00', to: '18:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'], time_zone: 'Europe/Brussels' };

function hoursOf(written: NaiveHours): Hours {
  const { hours, problems } = parseHours(written);
  if (!hours) throw new Error(JSON.stringify(problems));
  return hours;
}
const opens = (written: NaiveHours[], at: string) => {
  const opening = nextOpening(written.map(hoursOf), Date.parse(at));
  return opening === undefined ? undefined : zonedTime(written[0]?.time_zone ?? 'UTC', opening);
};

/** Zones whose clocks change by an hour, by half an hour, twice around a fast, and not at all. */
const zones = [
  ['Europe/Brussels', '2026-03-23', '2026-10-19'],
  ['America/St_Johns', '2026-03-02', '2026-10-26'],
  ['Australia/Lord_Howe', '2026-03-30', '2026-09-28'],
  ['Africa/Casablanca', '2026-02-09', '2026-03-16'],
  ['Pacific/Chatham', '2026-03-30', '2026-09-21'],
  ['Asia/Kathmandu', '2026-01-05', '2026-06-01'],
] as const;
const times = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
});
/** Half of them near the hours at which clocks are changed. */
const edges = fc.oneof(times, fc.constantFrom('00:00', '01:30', '02:00', '02:30', '02:45', '03:00', '24:00'));
const ranges = fc
  .record({ from: edges, to: edges, days: fc.subarray([...DAYS], { minLength: 1 }) })
  .filter(({ from, to }) => from !== to && from !== '24:00');

/** What a clock shows in each minute of three weeks. */
function clockFrom(timeZone: string, monday: string): { readonly at: number; readonly shown: string }[] {
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });
  const start = Date.parse(monday);
  return Array.from({ length: 3 * WEEK_MINUTES }, (_, minute) => {
    const at = start + minute * MINUTE_MS;
    return { at, shown: format.format(at) };
  });
}

test.each(zones)(
  'hours in %s include the minutes that a clock there shows, in weeks from %s and %s',
  (zone, ...mondays) => {
    for (const monday of mondays) {
      const clock = clockFrom(zone, monday);
      fc.assert(
        fc.property(ranges, fc.nat(WEEK_MINUTES - 1), (range, first) => {
          const written = { ...range, time_zone: zone };
          const hours = hoursOf(written);
          const open = clock.map(({ shown }) => includesShown(written, shown));
          expect(clock.filter(({ at }, minute) => isWithin(hours, at) !== open[minute])).toEqual([]);
          for (let minute = first; minute < first + WEEK_MINUTES; minute += 1_009) {
            const next = clock[open.indexOf(true, minute)]?.at;
            expect(nextOpening([hours], (clock[minute]?.at ?? 0) + 59_999)).toBe(next);
          }
        }),
        { numRuns: 3 },
      );
    }
  },
);

test('the hours of several rules open in the first minute that all of them include', () => {
  const clock = clockFrom('UTC', '2026-03-23');
  const shownIn = new Map(
    ['Europe/Brussels', 'Asia/Kathmandu'].map((zone) => [zone, clockFrom(zone, '2026-03-23')] as const),
  );
  const inZone = ranges.chain((range) =>
    fc.constantFrom(...shownIn.keys()).map((time_zone) => ({ ...range, time_zone })),
  );
  fc.assert(
    fc.property(inZone, inZone, fc.nat(WEEK_MINUTES - 1), (one, other, minute) => {
      const isOpen = (written: NaiveHours, at: number) =>
        includesShown(written, shownIn.get(written.time_zone)?.[at]?.shown ?? '');
      const next = clock.findIndex((_, at) => at >= minute && isOpen(one, at) && isOpen(other, at));
      const found = nextOpening([hoursOf(one), hoursOf(other)], clock[minute]?.at ?? 0);
      // Where nothing is common within the weeks that are looked at, what is found lies after them.
      if (next !== -1) expect(found).toBe(clock[next]?.at);
      else expect(found ?? Number.POSITIVE_INFINITY).toBeGreaterThan(clock.at(-1)?.at ?? 0);
    }),
    { numRuns: 60 },
  );
});

test('calls at night, on Friday evening or in the hour that clocks skip have the right opening', () => {
  const night = { from: '22:00', to: '06:00', days: ['fri'], time_zone: 'Europe/Brussels' };
  const skipped = { from: '02:15', to: '02:45', days: ['sun'], time_zone: 'Europe/Brussels' };
  const late = { from: '02:15', to: '04:00', days: ['sun'], time_zone: 'Europe/Brussels' };
  expect([
    opens([OFFICE], '2026-11-17T19:00:00Z'),
    opens([OFFICE], '2026-11-20T17:00:00Z'),
    opens([night], '2026-11-17T12:00:00Z'),
    // On Saturday it is open until six: the range began on Friday.
    opens([night], '2026-11-21T04:59:30Z'),
    opens([night], '2026-11-21T05:00:00Z'),
    opens([skipped], '2026-03-28T12:00:00Z'),
    opens([late], '2026-03-28T12:00:00Z'),
    opens([OFFICE, night], '2026-11-17T12:00:00Z'),
    opens([OFFICE, { ...OFFICE, time_zone: 'America/New_York' }], '2026-11-17T09:00:00Z'),
  ]).toEqual([
    '2026-11-18T08:00:00+01:00',
    '2026-11-23T08:00:00+01:00',
    '2026-11-20T22:00:00+01:00',
    '2026-11-21T05:59:00+01:00',
    '2026-11-27T22:00:00+01:00',
    '2026-04-05T02:15:00+02:00',
    '2026-03-29T03:00:00+02:00',
    undefined,
    '2026-11-17T14:00:00+01:00',
  ]);
});

test('hours with a mistake are invalid, and each mistake is reported at its position', () => {
  const problemsOf = (value: unknown) =>
    parseHours(value).problems.map(({ path, code }) => `${code} ${path.join('/')}`.trim());
  expect(
    [
      OFFICE,
      { ...OFFICE, days: undefined },
      { ...OFFICE, from: '00:00', to: '24:00', 'x-why': 'weekdays' },
      [],
      {},
      { ...OFFICE, from: '8:00', to: '25:00' },
      { ...OFFICE, from: '08:00', to: '08:00' },
      { ...OFFICE, from: '24:00' },
      { ...OFFICE, days: ['mon', 'Tue', 3] },
      { ...OFFICE, days: [] },
      { ...OFFICE, time_zone: 'Europe/Atlantis' },
      { ...OFFICE, time_zone: '+01:00' },
      { ...OFFICE, day: ['mon'] },
    ].map(problemsOf),
  ).toEqual([
    [],
    [],
    [],
    ['bad_hours'],
    ['bad_hours from', 'bad_hours to', 'bad_hours time_zone'],
    ['bad_hours from', 'bad_hours to'],
    ['bad_hours to'],
    ['bad_hours from'],
    ['bad_hours days/1', 'bad_hours days/2'],
    ['bad_hours days'],
    ['bad_hours time_zone'],
    ['bad_hours time_zone'],
    ['unknown_key day'],
  ]);
});

test('a time is written as local time, with an offset that leads back to the same time', () => {
  const zone = fc.constantFrom(...zones.map(([name]) => name), 'UTC', 'America/New_York');
  const at = fc.integer({ min: Date.parse('1990-01-01') / 1_000, max: Date.parse('2040-01-01') / 1_000 });
  fc.assert(
    fc.property(zone, at, (timeZone, second) => {
      const written = zonedTime(timeZone, second * 1_000);
      expect(Date.parse(written)).toBe(second * 1_000);
      expect(written).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
      expect(written.slice(0, 19).replace('T', ' ')).toBe(
        new Date(second * 1_000).toLocaleString('sv-SE', { timeZone }),
      );
    }),
  );
  expect([zonedTime('UTC', 0), zonedTime('America/St_Johns', Date.parse('2026-01-01T00:00Z'))]).toEqual([
    '1970-01-01T00:00:00+00:00',
    '2025-12-31T20:30:00-03:30',
  ]);
});

test('rules that have a common time only after many openings count as rules without one', () => {
  // From 8 March to 29 March New York is an hour nearer to Brussels: only then are both open. Each day has two openings.
  const brussels = hoursOf({ from: '08:00', to: '09:00', time_zone: 'Europe/Brussels' });
  const newYork = hoursOf({ from: '03:00', to: '04:00', time_zone: 'America/New_York' });
  const found = (at: string) => {
    const opening = nextOpening([brussels, newYork], Date.parse(at));
    return opening === undefined ? undefined : new Date(opening).toISOString();
  };
  expect([found('2026-02-28T07:30Z'), found('2026-02-28T08:30Z'), found('2026-03-01T07:00Z')]).toEqual([
    undefined,
    '2026-03-08T07:00:00.000Z',
    '2026-03-08T07:00:00.000Z',
  ]);
});

test('a time zone is known in any letter case; an offset or another text is not one', () => {
  expect(['Europe/Brussels', 'europe/brussels', 'UTC', '+01:00', '', 'Europe', '1', ' UTC'].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    ...Array.from({ length: 5 }, () => false),
  ]);
});

test('a sentence says when calls are allowed again, or that they are not soon', () => {
  expect([openingSentence('2026-11-18T08:00:00+01:00'), openingSentence(null)]).toEqual([
    'The hours of the policy allow it again from 2026-11-18T08:00:00+01:00.',
    'The hours of the policy have no time in common in the next weeks.',
  ]);
});

test('hours are read in minutes, with all days by default, and mistakes are described', () => {
  const messages = (value: unknown) => parseHours(value).problems.map(({ message }) => message);
  const all = new Set(DAYS);
  const plain = { from: '08:05', to: '24:00', time_zone: 'UTC' };
  expect([parseHours(plain), parseHours({ ...plain, from: '00:00', to: '23:59', days: ['mon', 'mon'] }).hours]).toEqual(
    [
      { hours: { from: 485, to: 1_440, days: all, timeZone: 'UTC' }, problems: [] },
      { from: 0, to: 1_439, days: new Set(['mon']), timeZone: 'UTC' },
    ],
  );
  expect([
    messages({ ...plain, from: '00:00', to: '00:00' }),
    messages({ ...plain, to: '08:05' }),
    messages({ ...plain, from: '24:00', to: '08:00' }),
    messages({ ...plain, from: '24:00' }).length,
    messages({ ...plain, days: 'mon' }),
    messages({ ...plain, days: ['monday'] }),
    messages({ ...plain, from: 8 }),
    messages({ ...plain, $comment: 'c', 'x-own': 1, comment: 1 }),
    [messages(null), messages([]), messages('x'), parseHours(null).hours],
    parseHours({ ...plain, time_zone: 'X' }).hours,
    parseHours({ ...plain, other: 1 }).hours,
    parseHours({ ...plain, to: '8' }).hours,
  ]).toEqual([
    ['from and to are the same time: write "24:00" for the end of the day'],
    ['from and to are the same time: for a whole day write "00:00" and "24:00"'],
    ['from must be before 24:00: write 00:00 and the next day'],
    2,
    ['days must be a list of at least one of sun, mon, tue, wed, thu, fri, sat'],
    ['a day must be one of sun, mon, tue, wed, thu, fri, sat'],
    ['from must be a time such as "08:00", up to "24:00"'],
    ['comment is not a key of hours'],
    [...Array.from({ length: 3 }, () => ['hours must be an object with from, to and time_zone']), undefined],
    undefined,
    undefined,
    undefined,
  ]);
});
