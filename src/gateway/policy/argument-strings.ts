import { pointerTo } from '../../contract/json-pointer.ts';

/** A string in a call's arguments: a value or a member name. A number is converted to text, as programs do. */
export interface ArgumentString {
  readonly text: string;
  /** `top`: the name of a top-level argument, which the tool defines and not the caller. */
  readonly kind: 'value' | 'number' | 'name' | 'top';
  readonly step: Step | undefined;
}

/** A path from a value up to the arguments, as a linked list. */
interface Step {
  readonly name: string | number;
  readonly before: Step | undefined;
}

/** Yields every string and number of the arguments. Iterative, because a caller may nest values arbitrarily deep. */
export function* argumentStrings(value: unknown): Generator<ArgumentString> {
  const waiting: { readonly value: unknown; readonly step: Step | undefined }[] = [{ value, step: undefined }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { step } = next;
    if (typeof next.value === 'string') yield { text: next.value, kind: 'value', step };
    if (typeof next.value === 'number') yield { text: String(next.value), kind: 'number', step };
    if (typeof next.value !== 'object' || next.value === null) continue;
    const isList = Array.isArray(next.value);
    const members = Object.entries(next.value).map(([name, member]) => ({
      value: member,
      step: { name: isList ? Number(name) : name, before: step },
    }));
    for (const { step: below } of isList ? [] : members)
      yield { text: String(below.name), kind: step === undefined ? 'top' : 'name', step: below };
    // Reversed, so that the first string is judged first and the report names the first refused one.
    for (const member of members.reverse()) waiting.push(member);
  }
}

/** The JSON pointer of a string; a member name has the pointer of its value. */
export function pointerOf({ step }: ArgumentString): string {
  return pointerTo(...namesOf(step));
}

/** A place in the arguments that an operation names: the segments of a JSON pointer, with `*` as a wildcard. */
export type NamedPlace = readonly string[];

/** The segments of a JSON pointer to an argument; undefined if the text is not one. */
export function parseNamedPlace(text: string): NamedPlace | undefined {
  if (!text.startsWith('/') || text === '/' || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Whether a string is at or below one of the places, or a value above one, because some programs parse a string where an object belongs.
 * Ignores the case of names, because some programs (for example in Go) match members case-insensitively.
 */
export function isAtPlace({ kind, step }: ArgumentString, places: readonly NamedPlace[]): boolean {
  // A program that copies members into its own object finds those of `__proto__` one level higher.
  const isMember = kind === 'name' || kind === 'top';
  const names = namesOf(isMember ? step?.before : step).filter((name) => name !== '__proto__');
  return places.some((place) => {
    if (place.length > names.length && kind !== 'value') return false;
    const shared = place.slice(0, names.length);
    return shared.every((segment, index) => segment === '*' || folded(segment) === folded(String(names[index])));
  });
}

function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function namesOf(step: Step | undefined): (string | number)[] {
  const names: (string | number)[] = [];
  for (let at = step; at; at = at.before) names.push(at.name);
  return names.reverse();
}
