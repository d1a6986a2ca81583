import { pointerTo } from '../../contract/json-pointer.ts';

/** A string of a call's arguments: a value, or the name of a member; a number as programs make a text of it. */
export interface ArgumentString {
  readonly text: string;
  /** `top`: the name of an argument itself, which the tool and not the caller chooses. */
  readonly kind: 'value' | 'number' | 'name' | 'top';
  readonly step: Step | undefined;
}

/** The way from the arguments to a value, from its end. */
interface Step {
  readonly name: string | number;
  readonly before: Step | undefined;
}

/** Every string and number of the arguments. A caller may nest what it sends without end, so nothing here calls itself. */
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
    // The first is taken next, so that the first string that is refused is the one that is named.
    for (const member of members.reverse()) waiting.push(member);
  }
}

/** Where a string stands, as a JSON pointer; the name of a member stands where its value does. */
export function pointerOf({ step }: ArgumentString): string {
  return pointerTo(...namesOf(step));
}

/** A place in the arguments that an operation names: the segments of a JSON pointer, `*` for any. */
export type NamedPlace = readonly string[];

/** The segments of a JSON pointer to an argument; undefined where the text is none. */
export function parseNamedPlace(text: string): NamedPlace | undefined {
  if (!text.startsWith('/') || text === '/' || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Whether a string stands at or below one of the places, or as a value above one: some programs parse a text where an object
 * belongs. Names are compared without regard to case, because some programs (those in Go, for one) take a member of another case
 * for the one that they know.
 */
export function isAtPlace({ kind, step }: ArgumentString, places: readonly NamedPlace[]): boolean {
  // A program that copies members into an object of its own finds those of `__proto__` one level higher.
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
