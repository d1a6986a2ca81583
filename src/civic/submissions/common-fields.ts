import { z } from 'zod';
import { CAPABILITIES, CIVIC_LIMITS, LOCALES } from '../config.ts';
import { instant, semver, shaped } from './fields.ts';
import { SESSION_ID, SUBMISSION_ID } from './ids.ts';

const AGENT = /^[A-Za-z][A-Za-z0-9 ._-]*\/[A-Za-z0-9._+-]+$/;

/** Members of every request, whatever its type [SU3]. */
export const commonShape = {
  schema_version: z.literal(1),
  session_id: shaped(SESSION_ID, 'ses_ and a UUID of version 7').describe(
    'Minted by the client; the only key to what it submitted.',
  ),
  submitted_at: instant,
  submitting_agent: z
    .string()
    .max(CIVIC_LIMITS.text.submitting_agent, 'is too long')
    .regex(AGENT, 'is not name/version')
    .describe('Informational only, as name/version.'),
  submission_contract_version: semver,
  declared_capabilities: z
    .array(z.enum(CAPABILITIES))
    .superRefine((list, context) => {
      if (new Set(list).size !== list.length) {
        context.addIssue({ code: 'custom', message: 'names a capability twice', params: { keyword: 'uniqueItems' } });
      }
    })
    .meta({ uniqueItems: true }),
  context: z
    .strictObject({
      language_used: z.enum(LOCALES),
      region: z.string().max(CIVIC_LIMITS.text.name, 'is too long').optional(),
      commune_nis5: shaped(/^\d{5}$/, 'five digits').optional(),
    })
    .optional(),
  dry_run: z
    .boolean()
    .optional()
    .describe('Check everything and store nothing; default true for tools, false over HTTP.'),
};

export const submissionId = shaped(SUBMISSION_ID, 'sub_ and a UUID of version 7');

/** The names of the common members, including the submission's own id. */
export const COMMON_NAMES: ReadonlySet<string> = new Set([...Object.keys(commonShape), 'submission_id']);

export const CommonFields = z.strictObject(commonShape);
export type CommonFields = z.output<typeof CommonFields>;
