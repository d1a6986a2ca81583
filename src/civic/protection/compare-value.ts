import { MOMENT_STEPS_MAX, NUMBER_SHARE_MIN } from './compare-numbers.ts';
import type { FieldName } from './protected-fields.ts';
import { readingsOf } from './quantities.ts';

type Row = Readonly<Record<string, unknown>>;

/** Compares the value of a catalogue row with its bounds. */
export function compareValue(before: Row, after: Row, add: (field: FieldName) => void): void {
  const [old, next] = [String(before.value ?? ''), String(after.value ?? '')];
  if (old === next && before.unit === after.unit) return;
  if (before.unit === after.unit && isNearMoment(old, next)) return;
  const [oldReadings, nextReadings] = [readingsIn(old), readingsIn(next)];
  const isNear = oldReadings.every((value, index) => {
    const other = nextReadings[index] as number;
    return Math.min(value / other, other / value) >= NUMBER_SHARE_MIN;
  });
  const sameWords = old.replace(NUMBER, '') === next.replace(NUMBER, '');
  if (!isNear || !sameWords || MOMENTS.some(({ pattern }) => pattern.test(old)) || before.unit !== after.unit)
    add('value_out_of_bounds');
}

/** Times of day and dates: a ratio of them is meaningless. */
const MOMENTS: readonly { pattern: RegExp; read(text: string): number; stepMax: number }[] = [
  {
    pattern: /(?<![\d.,:])(?:[01]?\d|2[0-4])[:h][0-5]\d(?![\d:])/,
    read: (text) => text.split(/[:h]/).reduce((minutes, part) => minutes * 60 + Number(part), 0),
    stepMax: MOMENT_STEPS_MAX.clock,
  },
  {
    pattern: /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/,
    read: (text) => Date.parse(text) / 86_400_000,
    stepMax: MOMENT_STEPS_MAX.date,
  },
];

/** Whether two texts differ only in times or dates, each by a small step. */
function isNearMoment(old: string, next: string): boolean {
  return MOMENTS.some(({ pattern, read, stepMax }) => {
    const all = new RegExp(pattern, 'g');
    const [was, is] = [old, next].map((text) => (text.match(all) ?? []).map(read)) as [number[], number[]];
    if (was.length === 0 || was.length !== is.length || old.replace(all, '') !== next.replace(all, '')) return false;
    return was.every((moment, index) => Math.abs((is[index] as number) - moment) <= stepMax);
  });
}

const NUMBER = /\d+(?:[.,]\d+)?/;

function readingsIn(text: string): readonly number[] {
  return readingsOf(NUMBER.exec(text)?.[0] ?? 'none');
}
