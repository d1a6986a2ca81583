import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { PAGE_HEADERS } from '../http/console-files.ts';
import { docsHtml, missingPageHtml } from './docs-html.ts';
import { type DocsPage, DocsPages } from './docs-pages.ts';

const ASSETS: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
};
const MARKDOWN = 'text/markdown; charset=utf-8';

/** Serves the documentation: pages for browsers, Markdown for all others. */
export function addDocsRoutes(app: Hono, dir: string): void {
  let opened: DocsPages | undefined;
  const docs = () => {
    opened ??= new DocsPages(dir);
    return opened;
  };
  for (const path of ['/docs', '/docs/']) app.get(path, (context) => show(context, docs().index, docs().index));
  app.get('/docs/llms.txt', () => answer(docs().llmsText(), 'text/plain; charset=utf-8'));
  app.get('/docs/search.json', async () => answer(await docs().searchIndex(), 'application/json'));
  app.get('/docs/site/:name', (context) => {
    const name = context.req.param('name');
    const type = ASSETS[name];
    return type === undefined ? context.notFound() : answer(readFileSync(join(dir, 'site', name), 'utf8'), type);
  });
  app.get('/docs/:file{.+}', (context) => {
    const file = context.req.param('file');
    const markdown = docs().page(file)?.markdown;
    if (markdown !== undefined) return answer(markdown, MARKDOWN);
    const page = docs().page(`${file}.md`);
    if (page) return show(context, page, docs().index);
    return isForBrowser(context) ? html(missingPageHtml(file, docs()), 404) : context.notFound();
  });
}

/** A browser gets the page, an agent its Markdown. */
function show(context: Context, page: DocsPage, index: DocsPage): Response {
  return isForBrowser(context) ? html(docsHtml(page, index)) : answer(page.markdown, MARKDOWN, { vary: 'accept' });
}

function isForBrowser(context: Context): boolean {
  return /\btext\/html\b/.test(context.req.header('accept') ?? '');
}

function html(body: string, status = 200): Response {
  return answer(body, 'text/html; charset=utf-8', { ...PAGE_HEADERS, vary: 'accept' }, status);
}

function answer(body: string, type: string, headers: Record<string, string> = {}, status = 200): Response {
  return new Response(body, {
    status,
    headers: { 'cache-control': 'no-cache', ...headers, 'content-type': type, 'x-content-type-options': 'nosniff' },
  });
}
