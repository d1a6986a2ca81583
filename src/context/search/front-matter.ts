/** The metadata before the text of a document: YAML between lines of `---`, or TOML between lines of `+++`. */
export interface FrontMatter {
  readonly title: string | undefined;
  /** A language tag, as it is written. */
  readonly language: string | undefined;
  /** Characters of the content up to the end of its last line. */
  readonly length: number;
}

const NONE: FrontMatter = { title: undefined, language: undefined, length: 0 };
const OPENING = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n/;
const LENGTH_MAX = 64 * 1024;

/** Reads title and language and ignores the rest. */
export function readFrontMatter(content: string): FrontMatter {
  const [opening, mark] = OPENING.exec(content) ?? [];
  if (opening === undefined || mark === undefined) return NONE;
  const values = new Map<string, string>();
  const separator = mark === '---' ? ':' : '=';
  for (let start = opening.length; start < Math.min(content.length, LENGTH_MAX); ) {
    const end = content.indexOf('\n', start) + 1 || content.length;
    const line = content.slice(start, end).trimEnd();
    if (line === mark) {
      return { title: values.get('title'), language: values.get('lang') ?? values.get('language'), length: end };
    }
    const place = line.indexOf(separator);
    const value = plainValue(line.slice(place + 1).trim());
    const key = line.slice(0, Math.max(0, place)).trimEnd();
    if (value !== '' && !values.has(key)) values.set(key, value);
    start = end;
  }
  return NONE;
}

/** A text on one line, without its quotes; empty for everything else. */
function plainValue(text: string): string {
  const [, , quoted] = /^(["'])(.*)\1$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted.trim();
  return /^[[{|>&*!"']/.test(text) ? '' : text.replace(/\s#.*$/, '').trim();
}
