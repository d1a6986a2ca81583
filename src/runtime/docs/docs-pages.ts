import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Heading, renderMarkdown } from './render-markdown.ts';

/** Folders of user documentation; the others are about development. */
const FOLDERS = ['', 'guides', 'reference', 'policies'];
const INDEX = 'README.md';

export interface DocsPage {
  /** The path below the documentation folder, such as `guides/gateway.md`. */
  readonly file: string;
  readonly markdown: string;
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
}

/** The documentation in the package. Pages are rendered on first use and cached. */
export class DocsPages {
  readonly files: readonly string[];
  readonly #dir: string;
  readonly #read = new Map<string, DocsPage>();

  constructor(dir: string) {
    this.#dir = dir;
    this.files = FOLDERS.flatMap((folder) =>
      readdirSync(join(dir, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => posix.join(folder, name)),
    );
  }

  get index(): DocsPage {
    return this.page(INDEX) as DocsPage;
  }

  /** A page by its file, such as `guides/gateway.md`; undefined if there is none. */
  page(file: string): DocsPage | undefined {
    const known = this.#read.get(file);
    if (known || !this.files.includes(file)) return known;
    const markdown = readFileSync(join(this.#dir, file), 'utf8');
    const page = { file, markdown, ...renderMarkdown(markdown, (url) => hrefOf(url, file, this.files)) };
    this.#read.set(file, page);
    return page;
  }

  /** Titles and headings for the search in the browser. Yields to the event loop between pages. */
  async searchIndex(): Promise<string> {
    const rows: object[] = [];
    for (const file of this.files) {
      await setImmediate();
      const { title, headings } = this.page(file) as DocsPage;
      rows.push({ href: addressOf(file), title, headings: headings.slice(1).map(({ text, id }) => [text, id]) });
    }
    return JSON.stringify(rows);
  }

  /** The index for agents: the index page with addresses that work anywhere on this gateway. */
  llmsText(): string {
    return this.index.markdown.replaceAll(/\]\((?!https?:|#)([^)#\s]+)/g, (link, path: string) =>
      this.files.includes(posix.normalize(path)) ? `](/docs/${posix.normalize(path)}` : link,
    );
  }
}

/** The address of a link here; undefined if its target is not served, or its scheme is not HTTP. */
export function hrefOf(url: string, from: string, files: readonly string[]): string | undefined {
  if (/^https?:\/\//i.test(url)) return url;
  if (url.startsWith('#')) return url;
  const [path = '', fragment] = url.split('#');
  const file = posix.join(posix.dirname(from), path);
  if (!files.includes(file)) return undefined;
  return `${addressOf(file)}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** The address of a page for browsers; with `.md` appended it is the Markdown. */
export function addressOf(file: string): string {
  return file === INDEX ? '/docs/' : `/docs/${file.replace(/\.md$/, '')}`;
}
