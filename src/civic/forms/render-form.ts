import type { App, Locale, Mode } from '../config.ts';
import { CIVIC_LIMITS, READ_LIMITS } from '../config.ts';
import type { FormInput, Label } from '../corpus/entries.ts';
import type { FieldValue } from './form-fields.ts';
import { FORM_TEXTS, labelText, ROW_TEXTS, type Texts } from './labels.ts';
import { ROW_SCRIPT } from './row-script.ts';
import { adminLanguages, NOT_YET_ARRIVED, type ProfileField } from './section-one.ts';

export interface FormContent {
  readonly app: App;
  readonly mode: Mode;
  readonly locale: Locale;
  /** First characters of the corpus version. */
  readonly version: string;
  readonly sectionOne: readonly ProfileField[];
  /** Undefined: no section 2. */
  readonly procedure: { readonly title: string; readonly inputs: readonly FormInput[] } | undefined;
  readonly consent: boolean;
  readonly preSelected: Readonly<Record<string, FieldValue>>;
  readonly region: string | undefined;
}

/** The form as HTML: one self-contained `<form>` element. */
export function renderForm(content: FormContent): string {
  const { app, mode, locale, version } = content;
  const text = (texts: Texts) => escapeHtml(labelText(texts, locale));
  const parts = [
    `<form data-form="onboarding" data-app="${app}" data-mode="${mode}" lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}" method="post">`,
    `<style>${STYLE}</style>`,
    hidden('version', version),
    content.consent ? hidden('alpha_consent_bundle', 'yes') : '',
    '<div class="brand" aria-hidden="true"></div>',
    `<p>${text(FORM_TEXTS.intro)}</p>`,
    sectionOne(content),
    sectionTwo(content),
    content.consent
      ? `<section data-section="consent" aria-labelledby="f-consent"><h2 id="f-consent">${text(FORM_TEXTS.consent)}</h2><p>${text(FORM_TEXTS.consentText)}</p></section>`
      : '',
    `<p><button type="submit">${text(FORM_TEXTS.submit)}</button></p>`,
    hasRows(content) ? `<script>${ROW_SCRIPT}</script>` : '',
    '</form>',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** Whether the form has an extensible list, and so needs the row script. */
export function hasRows({ procedure }: Pick<FormContent, 'procedure'>): boolean {
  return procedure?.inputs.some(({ type }) => type === 'row_list') ?? false;
}

/** Escapes text for elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function sectionOne(content: FormContent): string {
  if (content.sectionOne.length === 0) return '';
  const fields = content.sectionOne.map((field) => profileField(field, content));
  return `<fieldset data-section="1">\n<legend>${escapeHtml(labelText(FORM_TEXTS.sectionOne, content.locale))}</legend>\n${fields.join('\n')}\n</fieldset>`;
}

function profileField(field: ProfileField, content: FormContent): string {
  const { locale, preSelected, region } = content;
  const { name, required } = field;
  const caption = labelFor(name, field.label, required, locale, !required && name !== 'commune');
  const choices = name === 'admin_language' ? adminLanguages(region) : field.choices;
  if (choices) return row(`${caption}${select({ name, choices, required, locale, selected: preSelected[name] })}`);
  if (name !== 'commune') {
    return row(`${caption}<input type="text" ${naming(name)} maxlength="${CIVIC_LIMITS.text.name}"${mark(required)}>`);
  }
  const isHidden = region === NOT_YET_ARRIVED;
  const hint = `<small id="f-commune-hint">${escapeHtml(labelText(FORM_TEXTS.communeHint, locale))}</small>`;
  return `<div class="row" data-hide-when="region=${NOT_YET_ARRIVED}"${isHidden ? ' hidden' : ''}>${caption}<input type="text" ${naming(name)} maxlength="${CIVIC_LIMITS.text.name}" aria-describedby="f-commune-hint">${hint}</div>`;
}

function sectionTwo({ procedure, locale, preSelected }: FormContent): string {
  if (!procedure) return '';
  const legend = escapeHtml(labelText(FORM_TEXTS.sectionTwo, locale));
  const title = `<p class="title"><bdi>${escapeHtml(procedure.title)}</bdi></p>`;
  const fields = procedure.inputs.map((input) => inputField(input, locale, preSelected[input.name]));
  return `<fieldset data-section="2">\n<legend>${legend}</legend>\n${[title, ...fields].join('\n')}\n</fieldset>`;
}

function inputField(input: FormInput, locale: Locale, selected: FieldValue | undefined): string {
  const { name, type, required } = input;
  if (type === 'row_list') return rowList(input, locale);
  const caption = labelFor(name, input.label, required, locale, !required);
  switch (type) {
    case 'select':
      return row(`${caption}${select({ name, choices: input.options, required, locale, selected })}`);
    case 'multi_select': {
      const hint = `<small id="f-${name}-hint">${escapeHtml(labelText(FORM_TEXTS.multiple, locale))}</small>`;
      return row(
        `${caption}${select({ name, choices: input.options, required, locale, selected, multiple: true })}${hint}`,
      );
    }
    case 'boolean': {
      const choices = [
        { value: 'true', label: FORM_TEXTS.yes },
        { value: 'false', label: FORM_TEXTS.no },
      ];
      return row(`${caption}${select({ name, choices, required, locale, selected })}`);
    }
    case 'textarea':
      return row(
        `${caption}<textarea ${naming(name)} rows="4" maxlength="${READ_LIMITS.formTextMax}"${mark(required)}></textarea>`,
      );
    case 'number':
      return row(`${caption}<input type="number" ${naming(name)} step="any"${mark(required)}>`);
    case 'date':
    case 'month':
      return row(`${caption}<input type="${type}" ${naming(name)}${mark(required)}>`);
    default:
      return row(
        `${caption}<input type="text" ${naming(name)} maxlength="${READ_LIMITS.formTextMax}"${mark(required)}>`,
      );
  }
}

/** A list of periods: a mode control, the fields of the first row, and a button that the script shows. */
function rowList(input: FormInput, locale: Locale): string {
  const { name } = input;
  const heading = `<p class="label" id="f-${name}">${escapeHtml(labelText(input.label, locale) || name)}${star(input.required)}</p>`;
  const modes = ['inline', ...input.capture_modes].map((value) => ({
    value,
    label: Object.hasOwn(ROW_TEXTS, value) ? ROW_TEXTS[value as keyof typeof ROW_TEXTS] : value,
  }));
  const first = `${name}.0`;
  const caption = (field: string, texts: Texts) => labelFor(field, texts, false, locale, false);
  const mode = row(
    `${caption(`${name}.__mode`, ROW_TEXTS.mode)}${select({ name: `${name}.__mode`, choices: modes, required: false, locale, selected: 'inline', whole: true })}`,
  );
  const cells = [
    row(
      `${caption(`${first}.card_type`, ROW_TEXTS.card_type)}${select({ name: `${first}.card_type`, choices: input.card_type, required: false, locale, selected: undefined })}`,
    ),
    row(
      `${caption(`${first}.start_month`, ROW_TEXTS.start_month)}<input type="month" ${naming(`${first}.start_month`)}>`,
    ),
    row(`${caption(`${first}.end_month`, ROW_TEXTS.end_month)}<input type="month" ${naming(`${first}.end_month`)}>`),
    `<div class="row check"><input type="checkbox" ${naming(`${first}.current`)} value="true">${caption(`${first}.current`, ROW_TEXTS.current)}</div>`,
    row(
      `${caption(`${first}.notes`, ROW_TEXTS.notes)}<input type="text" ${naming(`${first}.notes`)} maxlength="${CIVIC_LIMITS.text.notes}">`,
    ),
  ];
  const firstRow = `<div data-row="0">\n${cells.join('\n')}\n</div>`;
  const add = row(
    `<button type="button" class="add" data-add-row hidden>${escapeHtml(labelText(ROW_TEXTS.add, locale))}</button>`,
  );
  return `<div data-input="row_list" data-name="${name}" role="group" aria-labelledby="f-${name}">\n${[heading, mode, firstRow, add].join('\n')}\n</div>`;
}

interface SelectContent {
  readonly name: string;
  readonly choices: readonly { readonly value: string; readonly label: Label | Texts }[];
  readonly required: boolean;
  readonly locale: Locale;
  readonly selected: FieldValue | undefined;
  readonly multiple?: boolean;
  /** A value is always selected, so no empty choice is offered. */
  readonly whole?: boolean;
}

function select({ name, choices, required, locale, selected, multiple, whole }: SelectContent): string {
  const isSelected = (value: string) =>
    Array.isArray(selected) ? selected.includes(value) : String(selected) === value;
  const options = choices.map(
    ({ value, label }) =>
      `<option value="${escapeHtml(value)}"${isSelected(value) ? ' selected' : ''}>${escapeHtml(labelText(label, locale))}</option>`,
  );
  if (!multiple && !whole)
    options.unshift(`<option value="">${escapeHtml(labelText(FORM_TEXTS.choose, locale))}</option>`);
  const several = multiple ? ` multiple aria-describedby="f-${name}-hint"` : '';
  return `<select ${naming(name)}${several}${mark(required)}>${options.join('')}</select>`;
}

function labelFor(
  name: string,
  label: Label | Texts,
  required: boolean,
  locale: Locale,
  saysOptional: boolean,
): string {
  const optional = saysOptional ? ` <small>(${escapeHtml(labelText(FORM_TEXTS.optional, locale))})</small>` : '';
  return `<label for="${idOf(name)}">${escapeHtml(labelText(label, locale) || name)}${star(required)}${optional}</label>`;
}

function star(required: boolean): string {
  return required ? '&#160;<span class="star" aria-hidden="true">*</span>' : '';
}

function mark(required: boolean): string {
  return required ? ' required' : '';
}

function naming(name: string): string {
  return `id="${idOf(name)}" name="${name}"`;
}

function idOf(name: string): string {
  return `f-${name.replaceAll('.', '-')}`;
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
}

function row(inner: string): string {
  return `<div class="row">${inner}</div>`;
}

const F = 'form[data-form=onboarding]';
/**
 * Pages brand the form with custom properties: `--form-accent`, `--form-on-accent`, `--form-text`, `--form-background`, `--form-font`, and
 * `--form-logo` as `url(…)`, with `--form-logo-height`.
 */
const STYLE = [
  `${F}{max-width:40rem;margin:0 auto;padding:1rem;font:16px/1.5 var(--form-font,system-ui,sans-serif);color:var(--form-text,#1d2430);background:var(--form-background,#fff)}`,
  `${F} .brand{height:var(--form-logo-height,0);background:var(--form-logo,none) no-repeat;background-size:contain}`,
  `${F} [data-row]+[data-row]{border-top:1px solid #c9ced6;margin-top:1rem}`,
  `${F} *{box-sizing:border-box}`,
  `${F} fieldset,${F} section{border:1px solid #c9ced6;border-radius:8px;padding:1rem;margin:0 0 1rem;min-width:0}`,
  `${F} legend,${F} h2{font-size:1.1rem;font-weight:600;margin:0;padding:0 .4rem}`,
  `${F} h2{padding:0}`,
  `${F} .row{margin:.9rem 0 0}`,
  `${F} .title{margin:0}`,
  `${F} section p{margin:.4rem 0 0}`,
  `${F} [hidden]{display:none}`,
  `${F} label,${F} .label{display:block;font-weight:600;margin:0 0 .3rem}`,
  `${F} .label{margin-top:1.2rem}`,
  `${F} input:not([type=checkbox]),${F} select,${F} textarea{display:block;width:100%;padding:.55rem .6rem;font:inherit;color:inherit;background:var(--form-background,#fff);border:1px solid #6b7480;border-radius:6px}`,
  `${F} .check{display:flex;gap:.5rem;align-items:center}`,
  `${F} .check label{margin:0}`,
  `${F} [data-input]{border-inline-start:3px solid #c9ced6;padding-inline-start:.9rem}`,
  `${F} :focus-visible{outline:3px solid #1c5fb0;outline-offset:1px}`,
  `${F} small{color:#4a5361;font-weight:400}`,
  `${F} .star{color:#a11}`,
  `${F} button{font:inherit;font-weight:600;padding:.6rem 1.6rem;border:0;border-radius:6px;background:var(--form-accent,#1c4f8f);color:var(--form-on-accent,#fff);cursor:pointer}`,
  `${F} .add{background:var(--form-background,#fff);color:var(--form-accent,#1c4f8f);border:1px solid;padding:.4rem 1rem}`,
].join('');
