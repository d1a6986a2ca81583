import { z } from 'zod';
import { CIVIC_LIMITS, ID_PATTERN, PURPOSES, SOURCE_HEALTHS, STATUSES } from '../config.ts';

/** Input and output shapes shared by several read operations. */

export const SkillId = z
  .string()
  .max(CIVIC_LIMITS.text.id)
  .regex(ID_PATTERN)
  .describe('Id of a skill, in kebab-case, as the graph has it.');
export const PathId = z
  .string()
  .max(CIVIC_LIMITS.text.id)
  .regex(ID_PATTERN)
  .describe('Id of a path, in kebab-case, as the path directory has it.');

const Trait = z.union([z.string(), z.number(), z.boolean()]);
const AppliesTo = z.record(z.string(), z.union([Trait, z.array(Trait)]));
const Edge = z.object({ id: z.string(), selects_on: z.string().optional() });

export const GraphShape: z.ZodType<object> = z.object({
  version: z.string(),
  generated_at: z.string(),
  skills: z.array(
    z.strictObject({
      skill_id: z.string(),
      title: z.string(),
      summary: z.string(),
      status: z.enum(['alpha', 'beta', 'stable']),
      category: z.string(),
      applies_to: AppliesTo,
      requires: z.array(Edge),
      required_by: z.array(Edge),
      requires_paths: z.array(
        z.object({
          id: z.string(),
          role: z.string().optional(),
          timing: z.string().optional(),
          degraded: z.literal(true).optional(),
        }),
      ),
      canonical_url: z.string(),
    }),
  ),
});

export const SkillShape = z.strictObject({
  skill_id: z.string(),
  body: z.string(),
  canonical_url: z.string(),
  status: z.literal(200),
});

export const FormShape = z.strictObject({
  form_html: z.string(),
  locale_actual: z.string(),
  locale_fallback_reason: z.literal('unsupported_locale').nullable(),
  version: z.string(),
  skill_id: z.string().optional(),
  script_source: z.string().optional(),
});

export const PathShape: z.ZodType<object> = z.looseObject({
  id: z.string(),
  title: z.string(),
  purpose: z.enum(PURPOSES),
  status: z.enum(STATUSES),
  version: z.string(),
  sources: z.array(z.looseObject({ id: z.string(), health: z.enum(SOURCE_HEALTHS) })),
  health: z.enum(['ok', 'degraded']),
});

/** A text that is sent as it is. */
export interface TextAnswer {
  readonly text: string;
}
export const TextShape: z.ZodType<TextAnswer> = z.object({ text: z.string() });
