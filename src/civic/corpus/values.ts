import type { Tag } from './tags.ts';

/** Replaces a value that is missing from the catalogue. */
export const UNRESOLVED = '[unresolved]';

/** The position of a value in a text. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** `<VV name="fee" uid="val-01"`: the tag up to its end. */
  readonly head: string;
  readonly uid: string;
}

/** The position of a provider list in a text. */
export interface ProviderSpan {
  readonly start: number;
  readonly end: number;
  readonly category: string;
}

/** The spans of `<Providers …/>` and of `<Providers …></Providers>`. */
export function providerSpans(tags: readonly Tag[], offset: number): ProviderSpan[] {
  return tags.flatMap((tag, index) => {
    if (tag.name !== 'Providers' || tag.kind === 'close') return [];
    const last = tag.kind === 'open' ? (tags[index + 1] ?? tag) : tag;
    return [{ start: tag.start + offset, end: last.end + offset, category: tag.attributes.category ?? '' }];
  });
}

/** The spans of `<VV …/>` and of `<VV …>…</VV>`. */
export function valueSpans(tags: readonly Tag[], offset: number): ValueSpan[] {
  const spans: ValueSpan[] = [];
  tags.forEach((tag, index) => {
    if (tag.name !== 'VV' || tag.kind === 'close') return;
    const last = tag.kind === 'open' ? tags[index + 1] : tag;
    spans.push({
      start: tag.start + offset,
      end: (last ?? tag).end + offset,
      head: `<VV${tag.written}`,
      uid: tag.attributes.uid ?? '',
    });
  });
  return spans;
}

/** Inserts the catalogue's values into their spans. */
export function expandValues(
  text: string,
  spans: readonly ValueSpan[],
  resolve: (uid: string) => string | undefined,
): string {
  return replaceSpans(text, spans, ({ head, uid }) => `${head}>${resolve(uid) ?? UNRESOLVED}</VV>`);
}

/** Inserts values and provider lists into their tags. */
export function expandTags(
  text: string,
  spans: readonly (ValueSpan | ProviderSpan)[],
  { value, providers }: { value(uid: string): string | undefined; providers(category: string): string },
): string {
  return replaceSpans(text, spans, (span) =>
    'category' in span
      ? `<Providers category="${span.category}">${providers(span.category)}</Providers>`
      : `${span.head}>${value(span.uid) ?? UNRESOLVED}</VV>`,
  );
}

/** Replaces each span; spans do not overlap. */
export function replaceSpans<Span extends { readonly start: number; readonly end: number }>(
  text: string,
  spans: readonly Span[],
  replace: (span: Span) => string,
): string {
  let replaced = '';
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    replaced += text.slice(at, span.start) + replace(span);
    at = span.end;
  }
  return replaced + text.slice(at);
}

/** The opposite of `expandValues`: makes two versions of a text equal if they differ only in values. */
export function collapseValues(text: string): string {
  return text.replaceAll(/<VV((?:\s+[a-z_]+\s*=\s*(?:"[^"<>{}]*"|'[^'<>{}]*'))*)\s*(?:\/>|>[^<>]*<\/VV>)/g, '<VV$1/>');
}
