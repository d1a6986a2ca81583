import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { LIMITS } from '../contract/limits.ts';

/** A JSON text as a tree whose nodes have offsets, or its first syntax error. */
export type JsonTree =
  | { readonly root: Node; readonly error?: undefined }
  | { readonly root: undefined; readonly error: { readonly offset: number; readonly message: string } };

/**
 * Parses JSON with comments and trailing commas. The parser recurses, so this refuses a text that nests too deep before it parses it: a
 * file of a stranger must not overflow the stack. Callers must not change the tree, which the next caller with the same text gets too.
 */
export function parseJsonTree(text: string): JsonTree {
  const known = recent.get(text);
  if (known) return known;
  const tree = parsed(text);
  if (text.length > LIMITS.jsonTreeKeptCharsMax) return tree;
  recent.set(text, tree);
  const oldest = recent.keys().next().value;
  if (recent.size > LIMITS.jsonTreesKeptMax && oldest !== undefined) recent.delete(oldest);
  return tree;
}

/** At a start every room reads its section of the same few config and policy files. */
const recent = new Map<string, JsonTree>();

function parsed(text: string): JsonTree {
  const deep = offsetBelowDepth(text, LIMITS.jsonFileDepthMax);
  if (deep !== undefined) return failed(deep, `nested more than ${LIMITS.jsonFileDepthMax} levels deep`);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) return failed(first.offset, words(printParseErrorCode(first.error)));
  return root ? { root } : failed(0, 'value expected');
}

function failed(offset: number, message: string): JsonTree {
  return { root: undefined, error: { offset, message } };
}

/** `PropertyNameExpected` → `property name expected`. */
function words(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

const [QUOTE, SLASH, BACKSLASH, LINE_FEED, RETURN] = [0x22, 0x2f, 0x5c, 0x0a, 0x0d];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where a text first exceeds the nesting limit; undefined: nowhere. An unmatched closing bracket is a syntax error and is not counted. */
export function offsetBelowDepth(text: string, depthMax: number): number | undefined {
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case SLASH:
        at = endOfComment(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (open.push(text.charCodeAt(at)) > depthMax) return at;
        break;
      case CLOSE_BRACKET:
        if (open.at(-1) === OPEN_BRACKET) open.pop();
        break;
      case CLOSE_BRACE:
        if (open.at(-1) === OPEN_BRACE) open.pop();
    }
  }
  return undefined;
}

/** An unclosed string ends with its line. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === LINE_FEED || code === RETURN) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const next = text[start + 1];
  if (next !== '/' && next !== '*') return start;
  const end = next === '/' ? text.slice(start).search(/[\r\n]/) + start : text.indexOf('*/', start + 2) + 1;
  return end > start ? end : text.length;
}
