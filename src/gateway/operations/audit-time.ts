import { BinderyError } from '../../contract/errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An absolute time, or a duration before now. */
export function toTime(given: string, now: number): string {
  const ago = /^(\d{1,9})([smhd])$/.exec(given);
  const time = ago ? now - Number(ago[1]) * (UNIT_MS[ago[2] as string] as number) : Date.parse(given);
  if (Number.isNaN(time) || Math.abs(time) > 8.64e15)
    throw new BinderyError('INVALID_ARGUMENTS', { detail: `${given} is neither a time nor a duration` });
  return new Date(time).toISOString();
}
