import { z } from 'zod';
import type { InputIssue } from '../../contract/operation.ts';
import { APPS, type App, LOCALES, type Locale, MODES, type Mode } from '../config.ts';
import { schemaInvalid, targetNotFound } from '../failures.ts';
import type { ReadModel } from '../reads/read-model.ts';
import { type FieldValue, formFields } from './form-fields.ts';
import { preSelectionIssues, sentinelIssues, type Values } from './form-values.ts';
import { hasRows, renderForm } from './render-form.ts';
import { ROW_SCRIPT_SOURCE } from './row-script.ts';
import { type ProfileField, SECTION_ONE } from './section-one.ts';

/** Options of a form request, besides the skill. */
export const FormOptions = {
  app: z.enum(APPS).optional().describe('Where the form is shown; default cowork.'),
  locale: z
    .string()
    .max(100)
    .optional()
    .describe('Language of the form: en, fr, nl, de, ar or uk; another one falls back to en, and says so.'),
  mode: z
    .enum(MODES)
    .optional()
    .describe('Default first-contact. returning: what changed; multi-active: only the procedure. Needs skill_id.'),
};

export interface FormRequest {
  readonly skill_id?: string | undefined;
  readonly app?: App | undefined;
  readonly locale?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly pre_selected?: Values | undefined;
  readonly profile_snapshot?: Values | undefined;
}

export interface FormAnswer {
  readonly form_html: string;
  readonly locale_actual: Locale;
  readonly locale_fallback_reason: 'unsupported_locale' | null;
  /** Version of the corpus. */
  readonly version: string;
  readonly skill_id?: string;
  /** The `script-src` value that a page needs for this form's script; absent if it has none. */
  readonly script_source?: string;
}

/** The requested form; never the text of the skill. */
export function formAnswer(model: ReadModel, request: FormRequest): FormAnswer {
  const { skill_id, pre_selected = {}, profile_snapshot } = request;
  const mode = modeOf(request);
  const skill = skill_id === undefined ? undefined : model.skill(skill_id);
  if (skill_id !== undefined && !skill) throw targetNotFound();

  const region = textOf(pre_selected.region) ?? textOf(profile_snapshot?.region);
  const fields = formFields(skill?.inputs ?? [], region);
  const issues = [
    ...preSelectionIssues(pre_selected, fields),
    ...sentinelIssues('profile_snapshot', profile_snapshot ?? {}, fields),
  ];
  if (issues.length > 0) throw schemaInvalid(issues);

  const { locale, reason } = localeOf(request.locale);
  const { version } = model.snapshot;
  const procedure = skill ? { title: skill.title, inputs: skill.inputs } : undefined;
  const form_html = renderForm({
    app: request.app ?? 'cowork',
    mode,
    locale,
    version: version.slice(0, 12),
    sectionOne: sectionOneFields(mode, pre_selected, profile_snapshot ?? {}),
    procedure,
    consent: mode === 'first-contact',
    // Every value was checked against the list of its field.
    preSelected: pre_selected as Record<string, FieldValue>,
    region,
  });
  return {
    form_html,
    locale_actual: locale,
    locale_fallback_reason: reason,
    version,
    ...(skill_id === undefined ? {} : { skill_id }),
    ...(hasRows({ procedure }) ? { script_source: ROW_SCRIPT_SOURCE } : {}),
  };
}

function modeOf({ skill_id, mode, profile_snapshot }: FormRequest): Mode {
  if (skill_id === undefined) {
    if (profile_snapshot !== undefined) throw refused('/profile_snapshot', 'dependentRequired', 'needs a skill_id');
    return 'section-1-only';
  }
  if (mode === 'section-1-only') throw refused('/mode', 'enum', 'is only for forms without a skill_id');
  return mode ?? 'first-contact';
}

function localeOf(asked: string | undefined): { locale: Locale; reason: FormAnswer['locale_fallback_reason'] } {
  if (asked === undefined) return { locale: 'en', reason: null };
  const primary = asked.split(/[-_]/, 1)[0]?.toLowerCase();
  const locale = LOCALES.find((known) => known === primary);
  return locale ? { locale, reason: null } : { locale: 'en', reason: 'unsupported_locale' };
}

function sectionOneFields(mode: Mode, preSelected: Values, profile: Values): readonly ProfileField[] {
  if (mode === 'multi-active') return [];
  if (mode !== 'returning') return SECTION_ONE;
  return SECTION_ONE.filter(({ name }) => {
    if (!Object.hasOwn(profile, name)) return true;
    return Object.hasOwn(preSelected, name) && preSelected[name] !== profile[name];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function refused(pointer: string, keyword: string, message: string) {
  const issues: InputIssue[] = [{ pointer, keyword, message }];
  return schemaInvalid(issues);
}
