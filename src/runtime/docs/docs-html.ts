import { nearestWord } from '../../contract/nearest-word.ts';
import { escapeHtml } from '../../http/html.ts';
import { addressOf, type DocsPage, type DocsPages } from './docs-pages.ts';

/** A group of links on the index page, shown beside every page. */
interface Group {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly text: string }[];
}

/** A whole page of the documentation. */
export function docsHtml(page: DocsPage, index: DocsPage): string {
  const title = page === index ? 'Bindery documentation' : `${page.title} · Bindery`;
  const markdown = `/docs/${escapeHtml(page.file)}`;
  return pageHtml(page, index, {
    title,
    head: `<link rel="alternate" type="text/markdown" href="${markdown}">\n`,
    footer: `<footer><a href="${markdown}">This page as Markdown</a></footer>\n`,
  });
}

/** The page for an unknown address: a suggestion, and the list of all pages. */
export function missingPageHtml(file: string, pages: DocsPages): string {
  const nearest = nearestWord(`${file}.md`, pages.files);
  const link = (target: string, text: string) => `<a href="${escapeHtml(addressOf(target))}">${escapeHtml(text)}</a>`;
  const meant = nearest === undefined ? '' : ` Did you mean ${link(nearest, pages.page(nearest)?.title ?? nearest)}?`;
  const title = 'No such page';
  const html = `<h1>${title}</h1><p>The documentation has no page <code>${escapeHtml(file)}</code>.${meant}</p><p>${link('README.md', 'All pages')}</p>`;
  return pageHtml({ file: '', html }, pages.index, { title: `${title} · Bindery`, head: '', footer: '' });
}

interface Around {
  readonly title: string;
  readonly head: string;
  readonly footer: string;
}

function pageHtml(page: Pick<DocsPage, 'file' | 'html'>, index: DocsPage, { title, head, footer }: Around): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/site/style.css">
${head}<script src="/docs/site/docs.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="/"><span class="mark" aria-hidden="true">B</span> Bindery</a>
<a href="/docs/">Docs</a>
<div class="search" hidden><input type="search" id="search" aria-label="Search the documentation" placeholder="Search titles and headings" autocomplete="off"><ul id="found" aria-label="Found" hidden></ul></div>
</header>
<div class="columns">
<details class="contents"><summary>Pages</summary><nav aria-label="Documentation">${groupsOf(index)
    .map((group) => navGroup(group, addressOf(page.file)))
    .join('')}</nav></details>
<main id="content" tabindex="-1">
<article>${page.html}</article>
${footer}</main>
</div>
</body>
</html>
`;
}

function navGroup({ title, links }: Group, here: string): string {
  const items = links.map(({ href, text }) => {
    const current = href === here ? ' aria-current="page"' : '';
    return `<li><a href="${escapeHtml(href)}"${current}>${escapeHtml(text)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
}

/** Headings and links of the index page. We rendered its HTML, so its structure is known. */
function groupsOf({ html }: DocsPage): Group[] {
  return html
    .split('<h2 ')
    .slice(1)
    .map((part) => ({
      title: plain(/^[^>]*>(.*?)<\/h2>/.exec(part)?.[1] ?? ''),
      links: [...part.matchAll(/<a href="([^"]*)">(.*?)<\/a>/g)].map(([, href = '', text = '']) => ({
        href,
        text: plain(text),
      })),
    }));
}

const NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function plain(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&([a-z]+|#39);/g, (entity, name: string) => NAMES[name] ?? entity);
}
