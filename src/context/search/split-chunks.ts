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

/** Cuts a Markdown text at its headings, and sections that are too long at empty lines. Every byte is in one chunk. */
export function splitChunks(content: string): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Heading[] = [];
  let headings: readonly string[] = [];
  let fence: string | undefined;
  let text = '';
  let start = 0;
  const close = () => {
    const end = start + Buffer.byteLength(text);
    if (text !== '') chunks.push({ start, end, headings, text });
    start = end;
    text = '';
  };
  for (const line of content.split(/(?<=\n)/)) {
    const bare = line.replace(/\n$/, '');
    const mark = FENCE.exec(bare)?.[1];
    const heading = fence === undefined ? headingOf(bare) : undefined;
    if (heading) {
      close();
      open = [...open.filter((outer) => outer.level < heading.level), heading];
      headings = open.map(({ title }) => ownText(title));
    } else if (text.length >= SEARCH.chunkCharactersMax && fence === undefined && bare.trim() === '') {
      text += line;
      close();
      continue;
    }
    if (mark !== undefined) fence = nextFence(fence, mark, bare);
    text += line;
  }
  close();
  return chunks;
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
