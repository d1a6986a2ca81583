import { randomBytes, randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { BinderyError } from '../../contract/errors.ts';
import { problemResponse } from '../../http/app.ts';
import { htmlPage } from '../../http/html.ts';
import { UP_LIMITS } from '../limits.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { ConsoleSignIn } from './console-sign-in.ts';
import { bearerOf, isSame } from './credentials.ts';

/** The storage key under which a page keeps its key. */
const STORED_AS = 'bindery_console_key';
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

export interface SignInRoutesOptions {
  readonly signIn: ConsoleSignIn;
  readonly adminToken: string;
  baseUrl(): string;
  startPage(): string;
  readonly consoleFiles: ConsoleFiles;
}

/** The page at `/`, its sign-in link, and new links for the holder of the admin token. */
export function addSignInRoutes(app: Hono, options: SignInRoutesOptions): void {
  const { signIn, adminToken, baseUrl, startPage } = options;
  app.get('/', (context) => {
    const code = context.req.query('sign_in');
    if (code === undefined) return options.consoleFiles.page(context) ?? context.html(startPage(), 200, pageHeaders());
    // Link previews and prefetching must not use the link up.
    if (context.req.method === 'HEAD') return new Response(null, { headers: PRIVATE });
    if (!isVisit(context)) return new Response(null, { status: 503, headers: PRIVATE });
    const signedIn = signIn.signIn(code, context.req.header('host'));
    if (!signedIn) {
      // A browser gets a page, a program gets a problem document.
      if (!context.req.header('accept')?.includes('text/html')) return refuse('SIGN_IN_USED');
      return context.html(usedLinkPage(), 403, { ...pageHeaders(), ...PRIVATE });
    }
    const nonce = randomBytes(16).toString('base64url');
    return context.html(keepKeyPage(signedIn.key, nonce), 200, {
      ...pageHeaders(nonce),
      ...PRIVATE,
      'set-cookie': signedIn.cookie,
    });
  });
  // New links require the token itself: a browser must not prolong its own sign-in, and a revocable key must not get one.
  app.post('/console/link', (context) => {
    const given = bearerOf(context.req.header('authorization'));
    if (given === undefined || !isSame(given, adminToken)) return refuse('ADMIN_REQUIRED');
    return context.json({ url: signIn.link(baseUrl(), UP_LIMITS.signInLinkMs) }, 200, PRIVATE);
  });
}

function refuse(code: 'SIGN_IN_USED' | 'ADMIN_REQUIRED'): Response {
  return problemResponse(new BinderyError(code), randomUUID());
}

/**
 * Whether a person opens the page. Browsers mark navigations, and also prefetches and subresources; other programs send no such
 * headers.
 */
function isVisit(context: Context): boolean {
  const ahead = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => context.req.header(name) ?? '');
  if (/prefetch|prerender|preview/i.test(ahead.join(' '))) return false;
  const [mode, destination] = [context.req.header('sec-fetch-mode'), context.req.header('sec-fetch-dest')];
  return (mode ?? 'navigate') === 'navigate' && (destination ?? 'document') === 'document';
}

/** Our pages cannot be framed, and run only our inline script. */
function pageHeaders(nonce?: string): Record<string, string> {
  const script = nonce === undefined ? '' : ` script-src 'nonce-${nonce}';`;
  return {
    'content-security-policy': `default-src 'none'; connect-src 'self'; style-src 'unsafe-inline';${script} base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
  };
}

/** The page for a used link: explains it, and how to get another. */
function usedLinkPage(): string {
  return htmlPage(
    'Bindery: link does not work',
    `<h1>This sign-in link does not work</h1>
<p>It was used before, is too old, or is not a link of this gateway. Each link works once. If you signed in with it in this browser, <a href="/">go on to Bindery</a>.</p>
<h2>Get a new link</h2>
<p>On the machine where Bindery runs, type:</p>
<pre><code>bindery console</code></pre>
<p>Or stop <code>bindery up</code> and start it again: it prints a new link.</p>`,
  );
}

/** The key is in the body, because a URL would appear in the history and on screen. */
function keepKeyPage(key: string, nonce: string): string {
  return htmlPage(
    'Bindery: signed in',
    `<h1>Signed in</h1>
<p><a href="/">Go on</a></p>
<noscript><p>Signing in needs JavaScript: the page keeps a key that no other port of this machine can read.</p></noscript>
<script nonce="${nonce}">
localStorage.setItem('${STORED_AS}', '${key}');
location.replace('/');
</script>`,
  );
}
