/** The page that a browser shows after the redirect: our own plain text, no script, and every value of the redirect escaped. */
export function callbackPage(title: string, text: string, link?: { href: string; label: string }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<body style="font: 1rem system-ui; margin: 4rem auto; max-width: 32rem">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${link ? `<p><a rel="noreferrer" href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>\n` : ''}</body>
</html>
`;
}

export const CALLBACK_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
