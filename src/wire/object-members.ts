import { foldCase } from './fold-case.ts';
import {
  asBuffer,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  type Span,
  skipSpace,
  stringEnd,
  valueEnd,
} from './json-scan.ts';

/** A member of an object with its name decoded. */
interface Member {
  readonly name: string;
  readonly value: Span;
}

/** The id of a refused message as written; undefined unless all parsers read the same one. The bytes are valid JSON. */
export function certainId(bytes: Uint8Array): string | undefined {
  const ids = [...membersAt(bytes, 0)].filter(({ name }) => foldCase(name) === 'id');
  const [only, another] = ids;
  if (!only || another || only.name !== 'id') return undefined;
  const text = asBuffer(bytes).toString('utf8', only.value.start, only.value.end);
  const id: unknown = JSON.parse(text);
  return typeof id === 'string' || Number.isSafeInteger(id) ? text : undefined;
}

/** The member that makes an object ambiguous: one of these names as a duplicate, or in another case. The bytes are valid JSON. */
export function doubtfulMember(bytes: Uint8Array, start: number, names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of membersAt(bytes, start)) {
    const known = names.find((one) => foldCase(one) === foldCase(name));
    if (known === undefined) continue;
    if (name !== known || seen.has(known)) return name;
    seen.add(known);
  }
  return undefined;
}

/**
 * The name of a member, at any depth, that duplicates an earlier member of its object or differs from it only in case: parsers
 * disagree which one counts. The bytes are valid JSON.
 */
export function ambiguousMember(bytes: Uint8Array, span: Span): string | undefined {
  const buffer = asBuffer(bytes);
  const open: (Set<string> | undefined)[] = [];
  for (let at = span.start; at < span.end; at += 1) {
    const byte = buffer[at];
    if (byte === OPEN_BRACE) open.push(new Set());
    else if (byte === OPEN_BRACKET) open.push(undefined);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    else if (byte === QUOTE) {
      const end = stringEnd(buffer, at);
      const members = open.at(-1);
      if (members && buffer[skipSpace(buffer, end)] === COLON) {
        const name = JSON.parse(buffer.toString('utf8', at, end)) as string;
        const folded = foldCase(name);
        if (members.has(folded)) return name;
        members.add(folded);
      }
      at = end - 1;
    }
  }
  return undefined;
}

function* membersAt(bytes: Uint8Array, start: number): Generator<Member> {
  const buffer = asBuffer(bytes);
  let at = skipSpace(buffer, start);
  if (buffer[at] !== OPEN_BRACE) return;
  at = skipSpace(buffer, at + 1);
  while (buffer[at] === QUOTE) {
    const nameEnd = stringEnd(buffer, at);
    const name = JSON.parse(buffer.toString('utf8', at, nameEnd)) as string;
    const valueStart = skipSpace(buffer, skipSpace(buffer, nameEnd) + 1);
    const end = valueEnd(buffer, valueStart);
    yield { name, value: { start: valueStart, end } };
    at = skipSpace(buffer, end);
    if (buffer[at] !== COMMA) return;
    at = skipSpace(buffer, at + 1);
  }
}
