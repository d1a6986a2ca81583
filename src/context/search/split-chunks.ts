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

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Cuts a Markdown text at its headings, and sections that are too long at empty lines. Every byte is in one chunk. */
export function splitChunks(content: string): Chunk[] {
  const chunks: Chunk[] = [];
  let open: { level: number; title: string }[] = [];
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
    const heading = fence === undefined ? HEADING.exec(bare) : null;
    if (heading) {
      close();
      const level = (heading[1] as string).length;
      open = [...open.filter((outer) => outer.level < level), { level, title: heading[2] ?? '' }];
      headings = open.map(({ title }) => title);
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

/** A fence ends with the same character, at least as long, and nothing after it. */
function nextFence(fence: string | undefined, mark: string, line: string): string | undefined {
  if (fence === undefined) return mark;
  const isEnd = mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
  return isEnd ? undefined : fence;
}
