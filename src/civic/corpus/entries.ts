import { z } from 'zod';
import { codePoints } from '../code-points.ts';
import {
  CIVIC_LIMITS,
  CORPUS_LIMITS,
  ID_PATTERN,
  PURPOSES,
  REFERENCE_USAGES,
  SEMVER_PATTERN,
  STATUSES,
} from '../config.ts';

const Id = z.string().max(CIVIC_LIMITS.text.id).regex(ID_PATTERN);
const Text = textUpTo(CIVIC_LIMITS.text.name);
const Url = z
  .string()
  .max(2000)
  .regex(/^https?:\/\/[^\s<>"]+$/);
const Trait = z.union([z.string(), z.number(), z.boolean()]);
const AppliesTo = z.record(z.string(), z.union([Trait, z.array(Trait)]));
/** A text, or one text per language. */
const Label = z.union([Text, z.record(z.string().regex(/^[a-z]{2,3}$/), Text)]);
export type Label = z.infer<typeof Label>;

export const INPUT_TYPES = [
  'text',
  'textarea',
  'select',
  'multi_select',
  'boolean',
  'date',
  'month',
  'number',
  'row_list',
] as const;

const Choice = z.union([
  z
    .string()
    .min(1)
    .max(100)
    .transform((value) => ({ value, label: value as Label })),
  z.looseObject({ value: z.string().min(1).max(100), label: Label.optional() }).transform(({ value, label }) => ({
    value,
    label: label ?? value,
  })),
]);

/** One question of a skill's form. */
export const FormInput = z
  .looseObject({
    name: z
      .string()
      .max(64)
      .regex(/^[a-z][a-z0-9_]*$/),
    type: z.enum(INPUT_TYPES),
    render: z.enum(['profile', 'case']).default('case'),
    required: z.boolean().default(false),
    /** Empty: the name is shown instead. */
    label: Label.default(''),
    options: z.array(Choice).max(300).default([]),
    capture_modes: z
      .array(
        z
          .string()
          .max(64)
          .regex(/^(?!inline$)[a-z][a-z0-9_]*$/),
      )
      .max(10)
      .default([]),
    card_type: z.array(Choice).max(300).default([]),
  })
  .refine((input) => !input.type.endsWith('select') || input.options.length > 0, 'a list to choose from needs options')
  .refine((input) => input.type === 'row_list' || input.capture_modes.length === 0, 'only row_list has capture modes');
export type FormInput = z.infer<typeof FormInput>;

const Requirement = z.union([
  Id.transform((id) => ({ id })),
  z.looseObject({ id: Id, selects_on: z.string().max(500).optional() }).transform(({ id, selects_on }) => ({
    id,
    ...(selects_on === undefined ? {} : { selects_on }),
  })),
]);

const PathRequirement = z
  .looseObject({ id: Id, role: z.string().max(100).optional(), timing: z.string().max(100).optional() })
  .transform(({ id, role, timing }) => ({
    id,
    ...(role === undefined ? {} : { role }),
    ...(timing === undefined ? {} : { timing }),
  }));

/** The front matter of `skills/<id>/canonical.md`. */
export const SkillMatter = z.looseObject({
  id: Id,
  title: Text,
  summary: textUpTo(CIVIC_LIMITS.text.summary),
  status: z.enum(STATUSES),
  version: z.string().regex(SEMVER_PATTERN),
  /** An open list: the maintainers of the corpus choose its entries. */
  category: Text,
  origin: z.string().max(100).optional(),
  applies_to: AppliesTo.default({}),
  requires: z.array(Requirement).max(200).default([]),
  requires_paths: z.array(PathRequirement).max(200).default([]),
  inputs: z.array(FormInput).max(100).default([]),
  citations: z
    .array(z.looseObject({ url: Url, archived_url: Url.optional() }))
    .max(200)
    .default([]),
  last_verified: z.string().max(40).optional(),
  verification_notes: z.string().max(2000).optional(),
  supersedes: Id.optional(),
});
export type SkillMatter = z.infer<typeof SkillMatter>;

/** Known keys of a front matter; other keys are kept, with a warning. */
export const SKILL_KEYS: ReadonlySet<string> = new Set(Object.keys(SkillMatter.shape));

/** The form that `<path_id>:<source_id>` and `sources[id=x]` can refer to. */
const SourceId = z
  .string()
  .max(CIVIC_LIMITS.text.id)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/);

export const PathSource = z.looseObject({
  id: SourceId,
  source_class: z.string().max(100).regex(ID_PATTERN),
  url: Url.optional(),
  priority: z.number().int().min(-1_000_000).max(1_000_000).optional(),
  fallback_only: z.boolean().optional(),
  audited_document_delivery: z.boolean().optional(),
});
export type PathSource = z.infer<typeof PathSource>;

/** `paths/<id>.yaml`. Its members are served as written. */
export const PathMatter = z.looseObject({
  id: Id,
  title: Text,
  purpose: z.enum(PURPOSES),
  themes: z.array(z.string().min(1).max(100)).max(50).optional(),
  applies_to: AppliesTo.optional(),
  status: z.enum(STATUSES),
  version: z.string().regex(SEMVER_PATTERN),
  sources: z.array(PathSource).max(100).default([]),
  supersedes: Id.optional(),
});
export type PathMatter = z.infer<typeof PathMatter>;

/** Known keys of a path and of its sources. */
export const PATH_KEYS: ReadonlySet<string> = new Set(Object.keys(PathMatter.shape));
export const SOURCE_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(PathSource.shape),
  ...'validation_path actor audience post_handoff_observed last_validated'.split(' '),
]);

const row = {
  name: Text,
  status: z.enum(STATUSES),
  version: z.string().regex(SEMVER_PATTERN),
  last_verified: z.string().max(40).optional(),
};

/** One row of `catalogue/values.yaml`. Values are inserted into bodies, so they must not contain markup. */
export const ValueRow = z.looseObject({
  uid: z.string().regex(/^val-\d{2,9}$/),
  value: z
    .union([z.string(), z.number(), z.boolean()])
    .transform(String)
    .pipe(
      z
        .string()
        .min(1)
        .max(CORPUS_LIMITS.valueLengthMax)
        .regex(/^[^<>{}\p{Cc}]*$/u),
    ),
  unit: z.string().max(40).optional(),
  ...row,
});
export type ValueRow = z.infer<typeof ValueRow>;

/** One row of `catalogue/references.yaml`. */
export const ReferenceRow = z.looseObject({
  uid: z.string().regex(/^ref-\d{2,9}$/),
  url: Url,
  archived_url: Url.optional(),
  usage: z.enum(REFERENCE_USAGES),
  ...row,
});
export type ReferenceRow = z.infer<typeof ReferenceRow>;

/** A text of one to `max` characters [SU19]. */
function textUpTo(max: number) {
  const isShort = (value: string) => codePoints(value) <= max;
  return z.string().trim().min(1).refine(isShort, `Too long: expected at most ${max} characters`);
}
