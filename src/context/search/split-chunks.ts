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
 * Cuts a Markdown text at its headings, long sections at empty lines, and long text without them at sentences. Every byte is in one chunk.
 * A title in the front matter is the outermost heading.
 */
export function splitChunks(content: string, matter: FrontMatter = readFrontMatter(content)): Chunk[] {
  const sections = new Sections(content, matter);
  let fence: string | undefined;
  for (let start = matter.length; start < content.length; ) {
    const end = content.indexOf('\n', start) + 1 || content.length;
    // The first character shows that most lines are neither heading, fence nor empty.
    const line = isPlainLine(content, start) ? undefined : bareLine(content, start, end);
    if (line !== undefined) {
      const mark = FENCE.exec(line)?.[1];
      const heading = fence === undefined ? headingOf(line) : undefined;
      if (heading) sections.open(heading, start);
      if (mark !== undefined) fence = nextFence(fence, mark, line);
      else if (fence === undefined && line.trim() === '') sections.breakIfLong(end);
    }
    start = end;
  }
  return sections.finish();
}

/** Whether a line begins with a letter or a digit of ASCII. */
function isPlainLine(content: string, start: number): boolean {
  const code = content.charCodeAt(start) | 0x20;
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function bareLine(content: string, start: number, end: number): string {
  return content.slice(start, content[end - 1] === '\n' ? end - 1 : end);
}

/** Collects the chunks of one text, line by line. Text before the first section is part of that section. */
class Sections {
  readonly #content: string;
  readonly #chunks: Chunk[] = [];
  readonly #textStart: number;
  #open: Heading[];
  #headings: readonly string[];
  /** Where the section began, in characters and in bytes. */
  #start: number;
  #startByte = 0;

  constructor(content: string, { title, length }: FrontMatter) {
    this.#content = content;
    this.#textStart = length;
    this.#start = length;
    this.#open = title === undefined ? [] : [{ level: 0, title }];
    this.#headings = titlesOf(this.#open);
  }

  /** A heading begins at this character. */
  open(heading: Heading, start: number): void {
    this.#close(start);
    this.#open = [...this.#open.filter((outer) => outer.level < heading.level), heading];
    this.#headings = titlesOf(this.#open);
  }

  /** An empty line ends before this character. */
  breakIfLong(end: number): void {
    if (end - this.#start > SEARCH.chunkCharactersMax) this.#close(end);
  }

  finish(): Chunk[] {
    this.#close(this.#content.length);
    // The text is only front matter.
    if (this.#chunks.length === 0 && this.#content !== '') this.#add(this.#content);
    return this.#chunks;
  }

  #close(end: number): void {
    if (end === this.#start) return;
    const isFirst = this.#chunks.length === 0;
    const [first, ...rest] = cutLongText(this.#content.slice(this.#start, end));
    this.#add((isFirst ? this.#content.slice(0, this.#textStart) : '') + first);
    for (const part of rest) this.#add(part);
    this.#start = end;
  }

  #add(text: string): void {
    const start = this.#startByte;
    const end = start + Buffer.byteLength(text);
    this.#chunks.push({ start, end, headings: this.#headings, text });
    this.#startByte = end;
  }
}

/** The titles from the outermost on; a heading that repeats the title of the front matter is dropped. */
function titlesOf(open: readonly Heading[]): readonly string[] {
  const titles = open.map(({ title }) => ownText(title.slice(0, SEARCH.headingCharactersMax)));
  return open[0]?.level === 0 && titles[0] === titles[1] ? titles.slice(1) : titles;
}

/** Parses a line as a heading, in one pass: a regular expression for the whole line would scan runs of spaces repeatedly. */
export function headingOf(line: string): Heading | undefined {
  const [opening, marks] = HEADING_MARK.exec(line) ?? [];
  if (opening === undefined || marks === undefined) return undefined;
  const rest = line.slice(opening.length, line.endsWith('\r') ? -1 : undefined);
  if (LINE_BREAK.test(rest)) return undefined;
  const title = trimBlanks(rest);
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  // A run of `#` at the end closes the heading, unless it is the whole title or part of a word.
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
