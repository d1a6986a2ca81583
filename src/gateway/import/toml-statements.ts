import { UnreadableFile } from './client-server.ts';

/** A table header, or a key with its value, with the offsets of its lines. */
export interface TomlStatement {
  readonly kind: 'table' | 'tables' | 'pair';
  /** The names in the header or in the (dotted) key. */
  readonly path: readonly string[];
  /** Offset of the first character of its line. */
  readonly start: number;
  /** Offset after its line end. */
  readonly end: number;
  /** Offset of the value; for a header, its own start. */
  readonly valueAt: number;
}

/** Splits a TOML text into statements without parsing values: follows strings and brackets only to find their ends. */
export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const start = at;
    at = skipBlanks(text, at);
    if (at >= text.length || text[at] === '\n' || text[at] === '\r' || text[at] === '#') {
      at = lineEnd(text, at);
      continue;
    }
    const statement = text[at] === '[' ? header(text, start, at) : pair(text, start, at);
    statements.push(statement);
    at = statement.end;
  }
  return statements;
}

/** A key at an offset, dotted or not, and its end. */
export function tomlKey(text: string, offset: number): { readonly path: string[]; readonly end: number } {
  const path: string[] = [];
  let at = offset;
  for (;;) {
    at = skipBlanks(text, at);
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = stringEnd(text, at);
      const inner = text.slice(at + 1, end - 1);
      path.push(quote === '"' ? basicString(inner, at, text) : inner);
      at = end;
    } else {
      const bare = /^[A-Za-z0-9_-]+/.exec(text.slice(at, at + 300))?.[0];
      if (bare === undefined) throw notUnderstood(text, at);
      path.push(bare);
      at += bare.length;
    }
    const next = skipBlanks(text, at);
    if (text[next] !== '.') return { path, end: at };
    at = next + 1;
  }
}

/** The end of a string that begins here, including multi-line strings. */
export function stringEnd(text: string, offset: number): number {
  const quote = text[offset] as string;
  const isLong = text.startsWith(quote.repeat(3), offset);
  const close = isLong ? quote.repeat(3) : quote;
  for (let at = offset + close.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text.startsWith(close, at)) {
      at += close.length;
      // A multi-line string may end with up to two quotes of its own.
      while (isLong && text[at] === quote) at += 1;
      return at;
    } else if (!isLong && text[at] === '\n') break;
  }
  throw notUnderstood(text, offset);
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

export function basicString(inner: string, offset: number, text: string): string {
  return inner.replaceAll(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/g, (_, code: string) => {
    const plain = ESCAPES[code];
    if (plain !== undefined) return plain;
    const point = /^[uU]([0-9a-fA-F]+)$/.exec(code)?.[1];
    if (point === undefined || Number.parseInt(point, 16) > 0x10ffff) throw notUnderstood(text, offset);
    return String.fromCodePoint(Number.parseInt(point, 16));
  });
}

export function notUnderstood(text: string, offset: number): UnreadableFile {
  return new UnreadableFile(`line ${text.slice(0, offset).split('\n').length} is not understood`);
}

export function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

function header(text: string, start: number, at: number): TomlStatement {
  const isList = text.startsWith('[[', at);
  const { path, end } = tomlKey(text, at + (isList ? 2 : 1));
  const close = skipBlanks(text, end);
  if (!text.startsWith(isList ? ']]' : ']', close)) throw notUnderstood(text, at);
  return {
    kind: isList ? 'tables' : 'table',
    path,
    start,
    end: endOfStatement(text, close + (isList ? 2 : 1)),
    valueAt: at,
  };
}

function pair(text: string, start: number, at: number): TomlStatement {
  const { path, end } = tomlKey(text, at);
  const equals = skipBlanks(text, end);
  if (text[equals] !== '=') throw notUnderstood(text, at);
  const valueAt = skipBlanks(text, equals + 1);
  return { kind: 'pair', path, start, end: endOfStatement(text, valueEnd(text, valueAt)), valueAt };
}

function valueEnd(text: string, offset: number): number {
  let depth = 0;
  let at = offset;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"' || char === "'") {
      at = stringEnd(text, at);
      continue;
    }
    if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    else if (char === '#' && depth > 0) at = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    else if (depth === 0 && (char === '\n' || char === '\r' || char === '#')) break;
    at += 1;
  }
  if (depth !== 0 || at === offset) throw notUnderstood(text, offset);
  return at;
}

function endOfStatement(text: string, offset: number): number {
  const at = skipBlanks(text, offset);
  if (at < text.length && !/[\r\n#]/.test(text[at] as string)) throw notUnderstood(text, offset);
  return lineEnd(text, at);
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}
