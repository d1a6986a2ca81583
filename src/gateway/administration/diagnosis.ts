import { z } from 'zod';

/** A check of the set-up, and its result. */
export const Diagnosis = z.object({
  check: z.string(),
  level: z.enum(['ok', 'warning', 'error', 'fixed']),
  message: z.string(),
  /** The remedy; null: nothing to do. */
  fix: z.string().nullable(),
});
export type Diagnosis = z.output<typeof Diagnosis>;
