/** Elements whose content is skipped. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'nav', 'iframe', 'head', 'form', 'button']);
/** Elements with raw text: only their own end tag counts inside. */
const RAW = new Set(['script', 'style']);
/** Block elements: they begin and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer header hgroup hr main ol p section summary table tbody tfoot thead tr ul html'.split(
    ' ',
  ),
);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;

/**
 * The text of an HTML page as Markdown: headings, paragraphs, lists and code, without scripts, styles and navigation. The title is the
 * outermost heading if the page has no `h1`. It reads the page in one pass and keeps nothing else of it.
 */
export function htmlToMarkdown(html: string): string {
  const page = new Page();
  let place = 0;
  while (place < html.length) {
    const open = html.indexOf('<', place);
    const textEnd = open < 0 ? html.length : open;
    if (textEnd > place) page.text(html.slice(place, textEnd));
    if (open < 0) break;
    place = page.markup(html, open);
  }
  return page.finish();
}

class Page {
  #out = '';
  #line = '';
  #title = '';
  #hasTopHeading = false;
  #inTitle = false;
  #preDepth = 0;
  /** The skipped element, and its nesting depth within elements of the same name. */
  #skipped: { readonly name: string; depth: number } | undefined;
  readonly #lists: (number | undefined)[] = [];

  text(raw: string): void {
    const text = decodeEntities(raw);
    if (this.#inTitle) this.#title += text;
    else if (this.#skipped) return;
    else if (this.#preDepth > 0) this.#line += text;
    else this.#line += text.replace(/\s+/g, ' ');
  }

  /** Reads the markup that begins with `<` at this offset; returns the offset after it. */
  markup(html: string, open: number): number {
    if (html.startsWith('<!--', open)) return endOf(html, '-->', open + 4);
    const end = tagEnd(html, open);
    const [, slash, name] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]*)/.exec(html.slice(open, Math.min(end, open + 64))) ?? [];
    if (name === undefined) {
      if (html[open + 1] === '!' || html[open + 1] === '?') return end;
      this.text('<');
      return open + 1;
    }
    const element = name.toLowerCase();
    if (slash === '/') this.#close(element);
    else this.#open(element, html[end - 2] === '/');
    return slash === '' && RAW.has(element) ? rawEnd(html, element, end) : end;
  }

  finish(): string {
    this.#break();
    const title = this.#title.replace(/\s+/g, ' ').trim();
    const text = this.#out.replace(/\n{3,}/g, '\n\n').trim();
    const heading = title !== '' && !this.#hasTopHeading ? `# ${title}\n\n` : '';
    return text === '' && heading === '' ? '' : `${heading}${text}\n`;
  }

  #open(name: string, isEmpty: boolean): void {
    if (name === 'title') this.#inTitle = true;
    if (this.#skipped) {
      if (this.#skipped.name === name && !isEmpty) this.#skipped.depth += 1;
      return;
    }
    if (SKIPPED.has(name)) {
      this.#break();
      if (!isEmpty) this.#skipped = { name, depth: 1 };
    } else if (/^h[1-6]$/.test(name)) this.#begin(`${'#'.repeat(Number(name[1]))} `, name === 'h1');
    else if (name === 'pre') this.#beginCode();
    else if (name === 'li') this.#begin(this.#bullet(), false);
    else if (name === 'br') this.#line += this.#preDepth > 0 ? '\n' : ' ';
    else if (name === 'td' || name === 'th') this.#line += ' ';
    else if (BLOCKS.has(name)) this.#break();
    if (name === 'ol') this.#lists.push(0);
    if (name === 'ul') this.#lists.push(undefined);
  }

  #close(name: string): void {
    if (name === 'title') this.#inTitle = false;
    if (this.#skipped) {
      if (this.#skipped.name === name && --this.#skipped.depth === 0) this.#skipped = undefined;
      return;
    }
    if (name === 'pre') this.#endCode();
    else if (/^h[1-6]$/.test(name) || name === 'li' || BLOCKS.has(name)) this.#break();
    if (name === 'ol' || name === 'ul') this.#lists.pop();
  }

  #begin(mark: string, isTop: boolean): void {
    this.#break();
    this.#hasTopHeading ||= isTop;
    this.#line = mark;
  }

  #bullet(): string {
    const last = this.#lists.length - 1;
    const number = this.#lists[last];
    if (number === undefined) return '- ';
    this.#lists[last] = number + 1;
    return `${number + 1}. `;
  }

  #beginCode(): void {
    this.#break();
    this.#preDepth += 1;
  }

  #endCode(): void {
    if (this.#preDepth === 0) return;
    this.#preDepth -= 1;
    const code = this.#line.replace(/^\n+|\s+$/g, '');
    this.#line = '';
    const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    if (code !== '') this.#out += `\n\n${fence}\n${code}\n${fence}\n\n`;
  }

  /** Ends the current line; drops a line that is only the mark of a heading or a list item. */
  #break(): void {
    if (this.#preDepth > 0) return;
    const line = this.#line.trim();
    this.#line = '';
    if (line === '' || /^(?:#{1,6}|-|\d+\.)$/.test(line)) return;
    const isItem = /^(?:- |\d+\. )/.test(line);
    this.#out += isItem ? `${line}\n` : `\n\n${line}\n\n`;
  }
}

/** The offset after the `>` of a tag; one inside quotes does not count. An unclosed tag takes the rest of the page. */
function tagEnd(html: string, open: number): number {
  let quote = '';
  for (let place = open + 1; place < html.length; place++) {
    const character = html[place] as string;
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return place + 1;
    else if ((character === '"' || character === "'") && html[place - 1] === '=') quote = character;
  }
  return html.length;
}

function endOf(html: string, mark: string, from: number): number {
  const place = html.indexOf(mark, from);
  return place < 0 ? html.length : place + mark.length;
}

/** Where the end tag of a raw element begins. */
function rawEnd(html: string, name: string, from: number): number {
  const mark = new RegExp(`</${name}`, 'gi');
  mark.lastIndex = from;
  return mark.exec(html)?.index ?? html.length;
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}
