import { join, posix } from 'node:path';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { addressOf, type DocsPage, DocsPages } from '../../src/runtime/docs/docs-pages.ts';
import { addDocsRoutes } from '../../src/runtime/docs/docs-routes.ts';
import { root } from '../support/repository.ts';

const dir = join(root, 'docs');
const docs = new DocsPages(dir);
const pages = new Map(docs.files.map((file) => [file, docs.page(file) as DocsPage]));
const app = new Hono();
addDocsRoutes(app, dir);
const get = async (path: string, accept = '*/*') => app.request(path, { headers: { accept } });
const HTML = 'text/html,application/xhtml+xml';

test('a browser gets pages, and everybody else Markdown', async () => {
  const [page, markdown, named, index] = await Promise.all([
    get('/docs/guides/gateway', HTML),
    get('/docs/guides/gateway'),
    get('/docs/guides/gateway.md', HTML),
    get('/docs/', HTML),
  ]);
  expect([page, markdown, named, index].map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
    [200, 'text/html; charset=utf-8'],
    [200, 'text/markdown; charset=utf-8'],
    [200, 'text/markdown; charset=utf-8'],
    [200, 'text/html; charset=utf-8'],
  ]);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('vary')).toBe('accept');
  expect(await markdown.text()).toBe(pages.get('guides/gateway.md')?.markdown);
  expect(await page.text()).toContain('<h1 id="twelve-servers-behind-one-endpoint">');
});

test('every page is served, with the list of pages beside it', async () => {
  for (const { file, title } of pages.values()) {
    const page = await get(addressOf(file), HTML);
    expect([file, page.status, title !== '']).toEqual([file, 200, true]);
    expect(await page.text()).toContain('<a href="/docs/guides/getting-started"');
  }
});

test('agents find every page of the index from llms.txt', async () => {
  const text = await (await get('/docs/llms.txt')).text();
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link as string);
  expect(links.length).toBeGreaterThan(20);
  const answers = await Promise.all(links.map((link) => get(link)));
  expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual(
    links.map(() => [200, 'text/markdown; charset=utf-8']),
  );
});

test('nothing outside of the documentation is served', async () => {
  const paths = [
    ...['/docs/nope', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json', '/docs/site/none.js'],
    ...['/docs/site/..%2fREADME.md', '/docs/decisions/0001-node-sqlite'],
  ];
  expect(await Promise.all(paths.map(async (path) => (await get(path, HTML)).status))).toEqual(paths.map(() => 404));
});

test('the index answers with and without the slash, and no page is lost in JSON', async () => {
  const [bare, slash] = await Promise.all([get('/docs', HTML), get('/docs/', HTML)]);
  expect([bare.status, await bare.text()]).toEqual([200, await slash.text()]);
  const missing = await get('/docs/guides/getting-startd', HTML);
  const text = await missing.text();
  expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(text).toContain('Did you mean <a href="/docs/guides/getting-started">Getting started</a>?');
  expect(text).toContain('<a href="/docs/">All pages</a>');
  expect(await (await get('/docs/%3Cscript%3E', HTML)).text()).toContain('<code>&lt;script&gt;</code>');
  expect((await get('/docs/guides/getting-startd')).headers.get('content-type')).not.toContain('html');
});

test('links between pages lead to headings that are there', () => {
  const dead = [...pages.values()].flatMap(({ file, markdown }) =>
    [...markdown.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, path = '', fragment]) => {
        const target = path === '' ? file : posix.join(posix.dirname(file), path);
        return !pages.get(target)?.headings.some(({ id }) => id === fragment);
      })
      .map(([link]) => `${file} ${link}`),
  );
  expect(dead).toEqual([]);
});

test('the index names every guide', () => {
  const index = pages.get('README.md')?.markdown ?? '';
  const guides = [...pages.keys()].filter((file) => file.startsWith('guides/'));
  expect(guides.filter((file) => !index.includes(`](${file})`))).toEqual([]);
});
