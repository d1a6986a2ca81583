import { CIVIC_LIMITS, HARM_LIMITS } from '../../src/civic/config.ts';
import { PROTECTED_FIELDS } from '../../src/civic/protection/protected-fields.ts';
import type { scrubSubmission } from '../../src/civic/scrub/scrub-submission.ts';

/** Defences that the month can run without, to measure their effect. */
export const DEFENCES = [
  'scrub',
  'protected_fields',
  'host_lists',
  'staged_votes',
  'watched_merges',
  'harm_limits',
  'day_limits',
  'concern_limits',
] as const;
export type Defence = (typeof DEFENCES)[number];

interface Changed {
  /** Whether only the maintainer sees staged changes. */
  readonly hidesStaged?: boolean;
  readonly scrub?: typeof scrubSubmission;
}

type Table = Record<string, unknown>;

/**
 * Runs something without one defence. The tables of the room are constants without settings; the simulation changes them in
 * its own memory and restores them.
 */
export async function without<T>(defence: Defence | undefined, run: (changed: Changed) => Promise<T>): Promise<T> {
  const restore: (() => void)[] = [];
  const set = (table: object, name: string, value: unknown) => {
    const before = (table as Table)[name];
    (table as Table)[name] = value;
    restore.push(() => {
      (table as Table)[name] = before;
    });
  };
  try {
    return await run(defence === undefined ? {} : REMOVERS[defence](set));
  } finally {
    for (const undo of restore.reverse()) undo();
  }
}

type Set = (table: object, name: string, value: unknown) => void;

const NEVER = Number.MAX_SAFE_INTEGER;

const REMOVERS: Readonly<Record<Defence, (set: Set) => Changed>> = {
  scrub: () => ({
    scrub: (value) => ({ rejects: [], holds: [], advisories: [], cleaned: value }),
  }),
  protected_fields: (set) => {
    for (const field of Object.values(PROTECTED_FIELDS)) set(field, 'gate', 'alone');
    return {};
  },
  host_lists: (set) => {
    set(PROTECTED_FIELDS.foreign_host, 'gate', 'consensus');
    return {};
  },
  staged_votes: () => ({ hidesStaged: true }),
  watched_merges: (set) => {
    set(HARM_LIMITS, 'watched_days', 0);
    return {};
  },
  harm_limits: (set) => {
    for (const name of ['merges_per_artefact_day', 'merges_per_corpus_day', 'quarantines_per_corpus_day']) {
      set(HARM_LIMITS, name, NEVER);
    }
    return {};
  },
  concern_limits: (set) => {
    set(HARM_LIMITS, 'concerns_per_target_day', 1_000_000);
    return {};
  },
  day_limits: (set) => {
    for (const name of Object.keys(CIVIC_LIMITS.day)) set(CIVIC_LIMITS.day, name, NEVER);
    set(CIVIC_LIMITS, 'burst', { requests: NEVER, window_seconds: 60 });
    return {};
  },
};
