/** A JSON value with all members of its objects in order, including duplicates, with their written names. */
export type Written = string | number | boolean | null | readonly Written[] | { readonly members: [string, Written][] };

/** A parser's rule for which of several equal members counts. */
export interface Reader {
  readonly name: string;
  isSame(written: string, wanted: string): boolean;
  readonly wins: 'first' | 'last';
}

const NAMES: readonly Pick<Reader, 'name' | 'isSame'>[] = [
  { name: 'exact', isSame: (written, wanted) => written === wanted },
  { name: 'ASCII case', isSame: (written, wanted) => asciiLower(written) === asciiLower(wanted) },
  // ECMAScript's regular expressions use simple case folding, as Go's `strings.EqualFold` does.
  { name: 'case folding', isSame: (written, wanted) => new RegExp(`^${escaped(wanted)}$`, 'iu').test(written) },
  { name: 'upper case', isSame: (written, wanted) => written.toUpperCase() === wanted.toUpperCase() },
  { name: 'lower case', isSame: (written, wanted) => written.toLowerCase() === wanted.toLowerCase() },
  { name: 'separators left out', isSame: (written, wanted) => bare(written) === bare(wanted) },
];

/** Parsers that differ in which names they treat as equal, and in which of equal members they take. */
export const READERS: readonly Reader[] = NAMES.flatMap((name) =>
  (['first', 'last'] as const).map((wins) => ({ ...name, name: `${name.name}, ${wins} wins`, wins })),
);

/** The value that a parser finds under a name. */
export function memberOf(value: Written | undefined, wanted: string, { isSame, wins }: Reader): Written | undefined {
  if (typeof value !== 'object' || value === null || !('members' in value)) return undefined;
  const found = value.members.filter(([name]) => isSame(name, wanted));
  return (wins === 'first' ? found[0] : found.at(-1))?.[1];
}

export function namesOf(value: Written | undefined): string[] {
  return typeof value === 'object' && value !== null && 'members' in value ? value.members.map(([name]) => name) : [];
}

/** A plain value as a parser would return it. */
export function plain(value: Written | undefined, reader: Reader): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!('members' in value)) return value.map((item) => plain(item, reader));
  return Object.fromEntries(value.members.map(([name]) => [name, plain(memberOf(value, name, reader), reader)]));
}

/** Parses valid JSON and keeps duplicate members. */
export function readWritten(text: string): Written {
  let at = 0;
  const space = () => {
    while (/[\t\n\r ]/.test(text[at] ?? '')) at += 1;
  };
  const string = (): string => {
    const from = at;
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    at += 1;
    return JSON.parse(text.slice(from, at)) as string;
  };
  const items = <T>(close: string, item: () => T): T[] => {
    const found: T[] = [];
    at += 1;
    for (space(); text[at] !== close; space()) {
      if (text[at] === ',') at += 1;
      space();
      found.push(item());
    }
    at += 1;
    return found;
  };
  const value = (): Written => {
    space();
    if (text[at] === '"') return string();
    if (text[at] === '[') return items(']', value);
    if (text[at] !== '{') {
      const [scalar = ''] = /^[^\s,\]}]+/.exec(text.slice(at)) ?? [];
      at += scalar.length;
      return JSON.parse(scalar) as Written;
    }
    const members = items('}', (): [string, Written] => {
      const name = string();
      space();
      at += 1;
      return [name, value()];
    });
    return { members };
  };
  return value();
}

function asciiLower(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
