import { z } from 'zod';
import { defineOperation, type Hints } from '../../contract/operation.ts';
import { CIVIC_LIMITS, READ_LIMITS } from '../config.ts';
import { civicFailures, schemaInvalid, targetNotFound } from '../failures.ts';
import { NO_CACHE, PRIVATE_CACHE } from '../reads/answer.ts';
import { fromBody, fromQuery } from '../reads/http-input.ts';
import type { ReadDeps } from '../reads/ports.ts';
import { currentModel } from '../reads/read-model.ts';
import { FormShape, SkillId, type TextAnswer, TextShape } from '../reads/shapes.ts';
import { type FormAnswer, FormOptions, formAnswer } from './form-answer.ts';
import { formFields } from './form-fields.ts';
import { missingIssues, pendingFields, valueIssues } from './form-values.ts';
import { ROW_SCRIPT_SOURCE } from './row-script.ts';

/** Each call renders its own form, prefilled with what the agent knows. */
const FORM_READ: Hints = { readOnly: true, destructive: false, idempotent: false, openWorld: true };
const PRIVATE_META = { headers: { 'cache-control': PRIVATE_CACHE } };

const Values = z
  .record(z.string().max(200), z.unknown())
  .refine((values) => Object.keys(values).length <= READ_LIMITS.formFieldsMax, 'has too many members');

const shared = {
  output: FormShape as z.ZodType<FormAnswer>,
  hints: FORM_READ,
  cli: false,
  failures: civicFailures(),
} as const;

export const getOnboardingForm = defineOperation({
  ...shared,
  id: 'civic.get_onboarding_form',
  summary: 'Get the onboarding form as HTML, for a procedure or for a first contact.',
  description:
    'The onboarding form as HTML, to show in a widget. Without skill_id: only the questions about the person. With it: also those of the procedure, and the consent. Never includes the text of the skill: call read_skill for it. pre_selected takes only fields with a closed list of choices, never anything that identifies a person.',
  input: z.strictObject({
    skill_id: SkillId.optional(),
    ...FormOptions,
    pre_selected: Values.optional().describe('Choices that the agent inferred, by field; closed lists only.'),
    profile_snapshot: Values.optional().describe('Known values of the profile, for mode returning or multi-active.'),
  }),
  http: {
    method: 'POST',
    path: '/api/onboarding-form',
    read: fromBody,
    meta: () => PRIVATE_META,
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
  },
  mcp: { tool: 'get_onboarding_form', meta: () => ({ 'bindery/cache_control': PRIVATE_CACHE }) },
  run: (input, deps: ReadDeps) => formAnswer(currentModel(deps), input),
});

/** The same form without prefilled answers. */
export const getPlainForm = defineOperation({
  ...shared,
  id: 'civic.get_plain_form',
  summary: 'Get the onboarding form as HTML, without any pre-selection.',
  input: z.strictObject({ skill_id: SkillId.optional(), ...FormOptions }),
  http: {
    method: 'GET',
    path: '/api/onboarding-form',
    read: fromQuery('skill_id', 'app', 'locale', 'mode'),
    meta: () => PRIVATE_META,
    crossOrigin: true,
  },
  mcp: false,
  run: (input, deps: ReadDeps) => formAnswer(currentModel(deps), input),
});

/** Only the row script, nothing external, and only our own pages may frame it. */
const FORM_PAGE_POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src ${ROW_SCRIPT_SOURCE}; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts`;

export const showForm = defineOperation({
  id: 'civic.show_form',
  summary: 'Show the onboarding form as a page, as people see it.',
  input: z.strictObject({ skill_id: SkillId.optional(), ...FormOptions }),
  output: TextShape,
  hints: FORM_READ,
  http: {
    method: 'GET',
    path: '/api/onboarding-form/page',
    read: fromQuery('skill_id', 'app', 'locale', 'mode'),
    contentType: 'text/html; charset=utf-8',
    meta: () => ({ headers: { 'cache-control': PRIVATE_CACHE, 'content-security-policy': FORM_PAGE_POLICY } }),
    crossOrigin: true,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  encode: (output: TextAnswer) => output.text,
  run: (input, deps: ReadDeps): TextAnswer => {
    const { form_html, locale_actual } = formAnswer(currentModel(deps), input);
    const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`;
    return { text: `<!doctype html><html lang="${locale_actual}">${head}<title>Form</title>\n${form_html}\n</html>\n` };
  },
});

export const checkForm = defineOperation({
  id: 'civic.check_form',
  summary: 'Check the values of a filled form, and list those that follow later.',
  input: z.strictObject({ skill_id: SkillId.optional(), values: Values.describe('Values by name of field.') }),
  output: z.object({ valid: z.literal(true), pending: z.array(z.string()) }),
  hints: { ...FORM_READ, idempotent: true },
  http: {
    method: 'POST',
    path: '/api/onboarding-form/check',
    read: fromBody,
    meta: () => ({ headers: { 'cache-control': NO_CACHE } }),
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
  },
  mcp: false,
  cli: { command: 'civic form-check', files: ['values'] },
  failures: civicFailures(),
  run: ({ skill_id, values }, deps: ReadDeps) => {
    const model = currentModel(deps);
    const skill = skill_id === undefined ? undefined : model.skill(skill_id);
    if (skill_id !== undefined && !skill) throw targetNotFound();
    const region = typeof values.region === 'string' ? values.region : undefined;
    const fields = formFields(skill?.inputs ?? [], region);
    const issues = [...valueIssues(values, fields), ...missingIssues(values, fields)];
    if (issues.length > 0) throw schemaInvalid(issues);
    return { valid: true, pending: pendingFields(values, fields) } as const;
  },
});
