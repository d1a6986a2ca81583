import type { Hit } from './find-identifiers.ts';

/** Content that runs or embeds, in any field [PV14]. */
export const ACTIVE_CONTENT = new RegExp(
  [
    '<\\s?\\/?\\s?(?:script|iframe|object|embed)(?![A-Za-z-])',
    '<[A-Za-z][^<>]{0,300}?[\\s"\'/]on[a-z]{3,24}\\s{0,3}=',
    '(?:\\]\\(|\\]:|=|<)[\\s"\']{0,3}(?:j\\s{0,2}a\\s{0,2}v\\s{0,2}a|vb)\\s{0,2}s\\s{0,2}c\\s{0,2}r\\s{0,2}i\\s{0,2}p\\s{0,2}t\\s{0,2}:',
    '(?<![A-Za-z])(?:javascript|vbscript):(?=[^\\s])',
    '(?:\\]\\(|\\]:|=|<)[\\s"\']{0,3}data\\s{0,2}:(?=\\S)',
    '^\\s{0,3}(?:j\\s{0,2}a\\s{0,2}v\\s{0,2}a|vb)\\s{0,2}s\\s{0,2}c\\s{0,2}r\\s{0,2}i\\s{0,2}p\\s{0,2}t\\s{0,2}:(?=\\S)',
    '^\\s{0,3}data:(?=\\S)',
    '(?<![A-Za-z])data:[a-z]{1,20}\\/[a-z0-9.+-]{1,40}[;,]',
  ].join('|'),
  'gi',
);

/** Tags allowed in a Markdown body [K15]. */
const TAGS = ['VV', 'Ref', 'Path', 'Skill', 'Observations', 'Risk', 'Providers'];

/** Content that corpus Markdown must not have: expressions, modules, comments, other tags. */
export const MARKDOWN_CONTENT = new RegExp(
  [
    '(?<!\\\\)\\{',
    // The marker column of a diff is blank by now.
    '^ ?(?:import\\s+(?:["\'{*]|\\w+\\s+from\\s|\\w+\\s*,)|export\\s+(?:default|const|let|var|function|class|async|\\{|\\*))',
    '<!|<\\?',
    `<\\/?(?!(?:${TAGS.join('|')})[\\s/>])[A-Za-z][A-Za-z0-9._-]{0,60}(?=[\\s/>]|$)`,
    '<>|<\\/>',
  ].join('|'),
  'gm',
);

const ENTITY = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|&(?:colon|Tab|NewLine|lpar|lt);/gi;

/** Finds scripts, embeds, event handlers and executable links; in Markdown also everything but plain Markdown and the seven tags. */
export function findActiveContent(text: string, markdown: string | undefined): Hit[] {
  const hits: Hit[] = [];
  const add = (where: string, pattern: RegExp): void => {
    for (const { index, 0: match } of where.matchAll(pattern)) {
      hits.push({ rule: 'active_content', start: index, end: index + match.length });
    }
  };
  if (/[<:]/.test(text)) add(text, ACTIVE_CONTENT);
  if (text.includes('&') && hits.length === 0) {
    const { decoded, offsets } = decodeEntities(text);
    for (const { index, 0: match } of decoded.matchAll(ACTIVE_CONTENT)) {
      const last = index + match.length - 1;
      hits.push({ rule: 'active_content', start: offsets[index] as number, end: offsets[last + 1] ?? text.length });
    }
  }
  if (markdown !== undefined) add(withoutCode(markdown), MARKDOWN_CONTENT);
  return hits;
}

/** Browsers read `&#106;avascript:` as `javascript:`. */
function decodeEntities(text: string): { decoded: string; offsets: number[] } {
  let decoded = '';
  const offsets: number[] = [];
  const emit = (piece: string, start: number, perUnit: boolean): void => {
    for (let i = 0; i < piece.length; i++) offsets.push(perUnit ? start + i : start);
    decoded += piece;
  };
  let at = 0;
  for (const match of text.matchAll(ENTITY)) {
    emit(text.slice(at, match.index), at, true);
    const code = match[1] ? Number.parseInt(match[1], 16) : match[2] ? Number(match[2]) : undefined;
    const named: Record<string, string> = {
      '&colon;': ':',
      '&tab;': '\t',
      '&newline;': '\n',
      '&lpar;': '(',
      '&lt;': '<',
    };
    const char =
      code === undefined ? named[match[0].toLowerCase()] : code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
    emit(char ?? match[0], match.index, false);
    at = match.index + match[0].length;
  }
  emit(text.slice(at), at, true);
  return { decoded, offsets };
}

/** Blanks fenced blocks and code spans, in which Markdown shows braces and tags literally. */
function withoutCode(markdown: string): string {
  const blank = (code: string): string => code.replace(/[^\n]/g, ' ');
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === '' && mark) fence = mark;
      else if (fence === '') return line.replace(/(?<!`)(`{1,3})(?!`)[^`]{1,2000}\1(?!`)/g, blank);
      else if (mark?.startsWith(fence)) fence = '';
      return blank(line);
    })
    .join('\n');
}
