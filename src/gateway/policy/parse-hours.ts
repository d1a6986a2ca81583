import { DAYS, type Day, type Hours, isTimeZone } from './hours.ts';

/** An error in `hours`, and the member that it is about. */
export interface HoursProblem {
  readonly path: readonly (string | number)[];
  readonly code: 'unknown_key' | 'bad_hours';
  readonly message: string;
}

const KEYS = ['from', 'to', 'days', 'time_zone'];
const TIME = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Parses `hours` of a policy. Only the days have a default: a mistake must not allow calls. */
export function parseHours(value: unknown): { readonly hours?: Hours; readonly problems: readonly HoursProblem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: [bad([], 'hours must be an object with from, to and time_zone')] };
  const members = new Map<string, unknown>(Object.entries(value));
  const problems = [...members.keys()]
    .filter((key) => !KEYS.includes(key) && !key.startsWith('x-') && key !== '$comment')
    .map((key): HoursProblem => ({ path: [key], code: 'unknown_key', message: `${key} is not a key of hours` }));
  const [from, to] = ['from', 'to'].map((key) => {
    const minute = minuteOf(members.get(key));
    if (minute === undefined) problems.push(bad([key], `${key} must be a time such as "08:00", up to "24:00"`));
    return minute;
  });
  if (from !== undefined && from === to) problems.push(bad(['to'], sameTime(from)));
  if (from === 1_440) problems.push(bad(['from'], 'from must be before 24:00: write 00:00 and the next day'));
  const days = daysOf(members.get('days'), problems);
  const timeZone = members.get('time_zone');
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    problems.push(bad(['time_zone'], 'time_zone must be the name of a time zone, such as "Europe/Brussels" or "UTC"'));
    return { problems };
  }
  if (from === undefined || to === undefined || problems.length > 0) return { problems };
  return { hours: { from, to, days, timeZone }, problems };
}

function minuteOf(value: unknown): number | undefined {
  const found = typeof value === 'string' ? TIME.exec(value) : null;
  if (!found) return undefined;
  return found[1] === undefined ? 1_440 : Number(found[1]) * 60 + Number(found[2]);
}

function sameTime(from: number): string {
  return from === 0
    ? 'from and to are the same time: write "24:00" for the end of the day'
    : 'from and to are the same time: for a whole day write "00:00" and "24:00"';
}

function daysOf(value: unknown, problems: HoursProblem[]): ReadonlySet<Day> {
  if (value === undefined) return new Set(DAYS);
  if (!Array.isArray(value) || value.length === 0) {
    problems.push(bad(['days'], `days must be a list of at least one of ${DAYS.join(', ')}`));
    return new Set();
  }
  return new Set(
    value.flatMap((name: unknown, index) => {
      const day = DAYS.find((one) => one === name);
      if (!day) problems.push(bad(['days', index], `a day must be one of ${DAYS.join(', ')}`));
      return day ?? [];
    }),
  );
}

function bad(path: HoursProblem['path'], message: string): HoursProblem {
  return { path, code: 'bad_hours', message };
}
