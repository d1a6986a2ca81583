import type { Status } from '../config.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { directionOf, visibleDirections } from './directions.ts';
import type { PageFrame } from './layout.ts';
import { linkHtml } from './markdown-html.ts';
import { STATUS_WORDS } from './texts.ts';

/** A state as sign, name and meaning. */
export function statusHtml({ locale }: PageFrame, status: Status): string {
  const shown = STATUS_WORDS[status];
  if (!shown) return `<bdi class="status">${escapeHtml(status)}</bdi>`;
  return `<bdi class="status ${status}">${shown.sign} ${escapeHtml(shown.name[locale])}</bdi> <span class="faint">${escapeHtml(shown.word[locale])}</span>`;
}

/** A box of names and values; entries without a value are left out. */
export function factsHtml(facts: readonly (readonly [string, string | undefined])[]): string {
  const rows = facts.filter(([, html]) => html !== undefined && html !== '');
  return `<dl class="facts">${rows.map(([name, html]) => `<dt>${name}</dt><dd>${html}</dd>`).join('')}</dl>\n`;
}

/** The remaining members of an object, as names and values. */
export function otherFacts(
  members: Readonly<Record<string, unknown>>,
  shown: ReadonlySet<string>,
): (readonly [string, string])[] {
  return Object.entries(members)
    .filter(([name, value]) => !shown.has(name) && value !== undefined)
    .map(([name, value]) => [
      `<bdi lang="en">${escapeHtml(name)}</bdi>`,
      bdi(typeof value === 'string' ? value : JSON.stringify(value)),
    ]);
}

export function dateHtml(frame: PageFrame, date: string | undefined): string {
  return date === undefined ? frame.text('never') : `<time dir="ltr">${escapeHtml(date)}</time>`;
}

/** `region: brussels, flanders`. */
export function appliesHtml(applies: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(applies ?? {})
    .map(([key, value]) => bdi(`${key}: ${(Array.isArray(value) ? value : [value]).join(', ')}`))
    .join('; ');
}

/** A cited URL with its archived copy, and a warning if the page is gone. */
export function citationHtml(
  frame: PageFrame,
  artefactId: string,
  { url, archived_url }: { readonly url: string; readonly archived_url?: string | undefined },
  words = `<bdi dir="ltr">${escapeHtml(url)}</bdi>`,
): string {
  const archived = archived_url ? ` · ${linkHtml(archived_url, frame.text('archived'))}` : '';
  const isDead = frame.site.linkState(artefactId, url) === 'dead';
  return `${linkHtml(url, words)}${archived}${isDead ? ` <strong class="gone">✕ ${frame.text('dead')}</strong>` : ''}`;
}

/** A text of the corpus, isolated because it may have another direction. Browsers look at its first letter only. */
export function bdi(text: string): string {
  const attribute = directionOf(text) === 'rtl' && /^[^\p{L}]*\p{Script=Latin}/u.test(text) ? ' dir="rtl"' : '';
  return `<bdi${attribute}>${escapeHtml(visibleDirections(text))}</bdi>`;
}

/** A value with its unit, unless the value contains it already. */
export function valueText({ value, unit }: { readonly value: string; readonly unit?: string | undefined }): string {
  return unit === undefined || value.endsWith(unit) ? value : `${value} ${unit}`;
}
