import { z } from 'zod';
import { joined } from '../narrowing.ts';
import { GLOBAL_ONLY, narrows, type Settings } from './setting.ts';

/** A rule in the config: a glob on `server/tool`, or one that applies to read-only tools only. */
export const PermissionRule = z.union([
  z.string().min(1),
  z.strictObject({ match: z.string().min(1), read_only: z.boolean() }),
]);
export type PermissionRule = z.output<typeof PermissionRule>;

const Rules = z.array(PermissionRule);

/** `permissions`: rules for calls from the library and the shell. */
export const PERMISSION_SETTINGS = {
  deny: {
    schema: Rules.optional(),
    summary: 'Tools that are never called, as globs on server/tool.',
    default: [],
    project: narrows(joined),
  },
  allow: {
    schema: Rules.optional(),
    summary: 'Tools that are called without a question.',
    default: [],
    project: GLOBAL_ONLY,
  },
  ask: {
    schema: Rules.optional(),
    summary: 'Tools that a person is always asked about.',
    default: [],
    project: narrows(joined),
  },
  projects: {
    schema: z.record(z.string(), z.looseObject({ allow: Rules.optional() })).optional(),
    summary: 'What "always" allowed, by the folder of the project.',
    default: {},
    project: GLOBAL_ONLY,
  },
} satisfies Settings;
