import { THRESHOLDS } from '../config.ts';
import type { Vote } from './artefact.ts';

const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export interface Tally {
  readonly confirms: number;
  readonly rejects: number;
  /** UTC dates on which they were cast. */
  readonly days: number;
  /** Votes of the last `windowHours`. */
  readonly recent: { readonly confirms: number; readonly rejects: number };
}

/** Counts votes; their order does not matter. */
export function tallyVotes(votes: readonly Vote[], now: number, windowHours: number): Tally {
  const days = new Set<number>();
  const all = { confirms: 0, rejects: 0 };
  const recent = { confirms: 0, rejects: 0 };
  for (const { verdict, at } of votes) {
    const count = verdict === 'confirm' ? 'confirms' : 'rejects';
    all[count]++;
    if (now - at <= windowHours * HOUR_MS) recent[count]++;
    days.add(Math.floor(at / DAY_MS));
  }
  return { ...all, days: days.size, recent };
}

/** Share of confirms; 0 without votes. */
export function approval({ confirms, rejects }: { readonly confirms: number; readonly rejects: number }): number {
  return confirms + rejects === 0 ? 0 : confirms / (confirms + rejects);
}

/** Lower bound of the Wilson interval for the share of confirms, at 95 % [L4]. */
export function wilsonLowerBound(confirms: number, rejects: number, z: number = THRESHOLDS.wilson_z): number {
  const n = confirms + rejects;
  if (n === 0) return 0;
  const p = confirms / n;
  const z2 = z * z;
  return (p + z2 / (2 * n) - z * Math.sqrt((p * (1 - p) + z2 / (4 * n)) / n)) / (1 + z2 / n);
}
