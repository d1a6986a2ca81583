/** The seven days as policy files name them, in the order of `Date.getUTCDay`. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Day = (typeof DAYS)[number];

/** When calls are allowed, in the local time of a time zone. */
export interface Hours {
  /** The first open minute, in minutes after midnight. */
  readonly from: number;
  /** The first closed minute, up to 1440. If not above `from`, the range ends on the next day. */
  readonly to: number;
  /** Days on which the range begins. */
  readonly days: ReadonlySet<Day>;
  /** An IANA time zone name. */
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** If hours have no common time within this many openings, they have none or hardly any. */
const OPENINGS_MAX = 16;

/** Whether the hours include this time (milliseconds since the epoch). */
export function isWithin({ from, to, days, timeZone }: Hours, at: number): boolean {
  const local = localMinute(timeZone, at);
  const minute = modulo(local, DAY_MINUTES);
  const begins = (daysAgo: number) => days.has(dayOf(local - daysAgo * DAY_MINUTES));
  if (from < to) return begins(0) && minute >= from && minute < to;
  return (begins(0) && minute >= from) || (begins(1) && minute < to);
}

/** The first minute from `at` on that all hours include; undefined if the next openings have none in common. */
export function nextOpening(all: readonly Hours[], at: number): number | undefined {
  let time = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  for (let opening = 0; opening < OPENINGS_MAX; opening += 1) {
    const closed = all.find((hours) => !isWithin(hours, time));
    if (!closed) return time;
    time = openingOf(closed, time);
  }
  return undefined;
}

/** The local time in a zone, as RFC 3339 with its offset. */
export function zonedTime(timeZone: string, at: number): string {
  const offset = localMinute(timeZone, at) - Math.floor(at / MINUTE_MS);
  const [sign, size] = offset < 0 ? ['-', -offset] : ['+', offset];
  const two = (value: number) => String(value).padStart(2, '0');
  const wall = new Date(at + offset * MINUTE_MS).toISOString().slice(0, 19);
  return `${wall}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** A sentence for `opens_at` of a decision. */
export function openingSentence(opensAt: string | null): string {
  return opensAt === null
    ? 'The hours of the policy have no time in common in the next weeks.'
    : `The hours of the policy allow it again from ${opensAt}.`;
}

/** Whether this time zone is known. Rejects offsets such as `+01:00`, because they do not follow daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** When hours that exclude `at` begin. If the offset of the zone changes before that, continues the search from the change. */
function openingOf(hours: Hours, at: number): number {
  let time = at;
  while (!isWithin(hours, time)) {
    const local = localMinute(hours.timeZone, time);
    const begin = time + (nextBegin(hours, local) - local) * MINUTE_MS;
    const change = offsetChange(hours.timeZone, time, begin);
    if (change === undefined) return begin;
    time = change;
  }
  return time;
}

/** The next local minute at which the range begins. */
function nextBegin({ from, days }: Hours, local: number): number {
  const midnight = local - modulo(local, DAY_MINUTES);
  for (let day = 0; day <= 7; day += 1) {
    const begin = midnight + day * DAY_MINUTES + from;
    if (begin > local && days.has(dayOf(begin))) return begin;
  }
  throw new RangeError('hours without a day');
}

/** The first minute after `since`, up to `until`, with a different offset. Assumes at most one change per week. */
function offsetChange(timeZone: string, since: number, until: number): number | undefined {
  const offsetAt = (time: number) => localMinute(timeZone, time) - time / MINUTE_MS;
  const before = offsetAt(since);
  if (offsetAt(until) === before) return undefined;
  let [same, other] = [since, until];
  while (other - same > MINUTE_MS) {
    const middle = same + Math.floor((other - same) / MINUTE_MS / 2) * MINUTE_MS;
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

interface ZoneFormat {
  readonly format: Intl.DateTimeFormat;
  /** The last minute that was looked up, since the epoch, and its local time. */
  minute: number;
  local: number;
}

const formats = new Map<string, ZoneFormat>();

function formatOf(timeZone: string): ZoneFormat {
  const key = timeZone.toLowerCase();
  const known = formats.get(key);
  if (known) return known;
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...numeric, timeZone, hourCycle: 'h23' });
  const made = { format, minute: Number.NaN, local: Number.NaN };
  formats.set(key, made);
  return made;
}

/** The local time of a zone, in minutes since 1 January 1970 there. Caches the last minute. */
function localMinute(timeZone: string, at: number): number {
  const zone = formatOf(timeZone);
  const minute = Math.floor(at / MINUTE_MS);
  if (zone.minute === minute) return zone.local;
  const [month = 0, day = 0, year = 0, hour = 0, minutes = 0] =
    zone.format
      .format(minute * MINUTE_MS)
      .match(/\d+/g)
      ?.map(Number) ?? [];
  zone.minute = minute;
  zone.local = Date.UTC(year, month - 1, day, hour, minutes) / MINUTE_MS;
  return zone.local;
}

function dayOf(local: number): Day {
  return DAYS[new Date(local * MINUTE_MS).getUTCDay()] as Day;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
