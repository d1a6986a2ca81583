/** Headers of every page: no external resources, and no framing. The page itself has the same policy. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Whether an `Accept` header prefers a page over text; a wildcard gets the text. */
export function prefersHtml(accept: string | undefined): boolean {
  const quality = (types: readonly string[]) =>
    Math.max(
      0,
      ...(accept ?? '').split(',').flatMap((range) => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
        if (!types.includes(type)) return [];
        const q = parameters.find((parameter) => parameter.startsWith('q='));
        const value = q === undefined ? 1 : Number(q.slice(2));
        return [Number.isFinite(value) ? value : 0];
      }),
    );
  const html = quality(['text/html', 'application/xhtml+xml']);
  return html > quality(['text/markdown', 'text/plain', 'text/*']);
}
