import { BinderyError } from '../../contract/errors.ts';
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
  stringEnd,
} from '../../wire/json-scan.ts';
import { PROXY_LIMITS } from '../limits.ts';

/**
 * Rejects arguments with too many members, items or levels. Each one is masked, digested, judged and recorded, so a few megabytes of
 * braces would block all other callers. Stops at the first exceeded bound.
 */
export function oversizedArguments(args: unknown): BinderyError | undefined {
  const counts = { members: 0, items: 0 };
  const bound = exceeded(args, 0, counts);
  return bound && tooLarge(bound);
}

/** The same for unparsed JSON: creating that many objects would take most of the time. */
export function oversizedBytes(bytes: Uint8Array, { start, end }: Span): BinderyError | undefined {
  // Shorter arguments cannot have too many members; their depth is checked after parsing.
  if (end - start < BYTES_PER_MEMBER * PROXY_LIMITS.argumentMembersMax) return undefined;
  const buffer = asBuffer(bytes);
  const counts = { members: 0, items: 0 };
  const open: number[] = [];
  for (let at = start; at < end; at += 1) {
    const byte = buffer[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(buffer, at) - 1;
      if (at < 0) return undefined;
    } else if (byte === COLON) counts.members += 1;
    // A list has one comma less than items, which does not matter here.
    else if (byte === COMMA && open.at(-1) === OPEN_BRACKET) counts.items += 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (open.push(byte) > BOUNDS.depth.max) return tooLarge('depth');
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
  }
  if (counts.members > BOUNDS.members.max) return tooLarge('members');
  return counts.items > BOUNDS.items.max ? tooLarge('items') : undefined;
}

function tooLarge(bound: Bound): BinderyError {
  const { limit, max } = BOUNDS[bound];
  const detail =
    bound === 'depth'
      ? `The arguments are nested deeper than ${max} levels`
      : `The arguments have more than ${max} ${bound}`;
  return new BinderyError('ARGUMENTS_TOO_LARGE', { detail: `${detail} (${limit}).`, members: { limit, max } });
}

/** The shortest member: `"":1`. */
const BYTES_PER_MEMBER = 4;

type Bound = 'members' | 'items' | 'depth';

const BOUNDS: Readonly<Record<Bound, { readonly limit: string; readonly max: number }>> = {
  members: { limit: 'argumentMembersMax', max: PROXY_LIMITS.argumentMembersMax },
  items: { limit: 'argumentItemsMax', max: PROXY_LIMITS.argumentItemsMax },
  depth: { limit: 'argumentDepthMax', max: PROXY_LIMITS.argumentDepthMax },
};

function exceeded(value: unknown, depth: number, counts: { members: number; items: number }): Bound | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === BOUNDS.depth.max) return 'depth';
  const kind = Array.isArray(value) ? 'items' : 'members';
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  counts[kind] += parts.length;
  if (counts[kind] > BOUNDS[kind].max) return kind;
  for (const part of parts) {
    const bound = exceeded(part, depth + 1, counts);
    if (bound !== undefined) return bound;
  }
  return undefined;
}
