import { z } from 'zod';

/** What was looked at, and what was found. */
export const Diagnosis = z.object({
  check: z.string(),
  level: z.enum(['ok', 'warning', 'error', 'fixed']),
  message: z.string(),
  /** What the person can do; null: nothing has to be done. */
  fix: z.string().nullable(),
});
export type Diagnosis = z.output<typeof Diagnosis>;
