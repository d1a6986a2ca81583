import { cutLongText } from './cut-long-text.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { ownText } from './own-text.ts';
import { SEARCH } from './search-settings.ts';

/** A part of a document: a section under a heading, or a piece of a long one. */
export interface Chunk {
  /** Bytes of the content, from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  /** The headings above the text, from the outermost to its own. */
  readonly headings: readonly string[];
  readonly text: string;
}

const HEADING_MARK = /^ {0,3}(#{1,6})(?![^ \t\r])/;
const LINE_BREAK = /[\r\u2028\u2029]/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

interface Heading {
  readonly level: number;
  readonly title: string;
}

/**
 * Cuts a Markdown text at its headings, sections that are too long at empty lines, and what has none at sentences. Every byte is in one chunk.
 * A title in the front matter is the outermost heading.
 */
export function splitChunks(content: string, matter: FrontMatter = readFrontMatter(content)): Chunk[] {
  const sections = new Sections(matter);
  let fence: string | undefined;
  for (const line of content.slice(matter.length).split(/(?<=\n)/)) {
    const bare = line.replace(/\n$/, '');
    const mark = FENCE.exec(bare)?.[1];
    const heading = fence === undefined ? headingOf(bare) : undefined;
    if (heading) sections.open(heading);
    sections.add(line);
    if (mark !== undefined) fence = nextFence(fence, mark, bare);
    else if (fence === undefined && bare.trim() === '') sections.breakIfLong();
  }
  return sections.finish(content.slice(0, matter.length));
}

/** The chunks of one text, as its lines come. */
class Sections {
  readonly #chunks: Chunk[] = [];
  readonly #title: Heading[];
  #open: Heading[];
  #headings: readonly string[];
  #lines: string[] = [];
  #length = 0;

  constructor({ title }: FrontMatter) {
    this.#title = title === undefined ? [] : [{ level: 0, title }];
    this.#open = this.#title;
    this.#headings = titlesOf(this.#open);
  }

  open(heading: Heading): void {
    this.#close();
    this.#open = [...this.#open.filter((outer) => outer.level < heading.level), heading];
    this.#headings = titlesOf(this.#open);
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
  }

  breakIfLong(): void {
    if (this.#length > SEARCH.chunkCharactersMax) this.#close();
  }

  /** The chunks with their bytes; what stands before them is a part of the first. */
  finish(before: string): Chunk[] {
    this.#close();
    const [first = { start: 0, end: 0, headings: titlesOf(this.#title), text: '' }, ...rest] = this.#chunks;
    const whole = { ...first, text: before + first.text };
    let start = 0;
    return (whole.text === '' ? [] : [whole, ...rest]).map((chunk) => {
      const end = start + Buffer.byteLength(chunk.text);
      const placed = { ...chunk, start, end };
      start = end;
      return placed;
    });
  }

  #close(): void {
    const text = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    if (text === '') return;
    for (const part of cutLongText(text)) this.#chunks.push({ start: 0, end: 0, headings: this.#headings, text: part });
  }
}

/** The titles from the outermost on; a heading that only repeats the title of the front matter is not said twice. */
function titlesOf(open: readonly Heading[]): readonly string[] {
  const titles = open.map(({ title }) => ownText(title.slice(0, SEARCH.headingCharactersMax)));
  return open[0]?.level === 0 && titles[0] === titles[1] ? titles.slice(1) : titles;
}

/** The heading that a line is, in one pass over it: an expression for the whole line goes over runs of spaces again and again. */
export function headingOf(line: string): Heading | undefined {
  const [opening, marks] = HEADING_MARK.exec(line) ?? [];
  if (opening === undefined || marks === undefined) return undefined;
  const rest = line.slice(opening.length, line.endsWith('\r') ? -1 : undefined);
  if (LINE_BREAK.test(rest)) return undefined;
  const title = trimBlanks(rest);
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  // A run of marks at the end closes the heading, unless it is the whole title or a part of a word.
  const isClosed = end > 0 && isBlank(title[end - 1]);
  return { level: marks.length, title: isClosed ? trimBlanks(title.slice(0, end)) : title };
}

function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** A fence ends with the same character, at least as long, and nothing after it. */
function nextFence(fence: string | undefined, mark: string, line: string): string | undefined {
  if (fence === undefined) return mark;
  const isEnd = mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
  return isEnd ? undefined : fence;
}
