/**
 * First requests are often short: a verb and an object. There the verb decides: a tool whose name begins with an opposite verb is not
 * meant, however many other words match.
 */
const WORDS_MAX = 6;

const KINDS: Readonly<Record<string, readonly string[]>> = {
  write: ['write', 'save', 'create', 'make', 'store', 'new', 'put'],
  read: ['read', 'get', 'fetch', 'list', 'view', 'show', 'open', 'search', 'find'],
  edit: ['edit', 'change', 'update', 'modify', 'replace'],
  remove: ['delete', 'remove', 'erase'],
};

const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, verbs]) => verbs.map((verb) => [verb, kind] as const)));

/** The share of its score that a tool with an opposite verb keeps, in sixteenths. */
const OPPOSED = 9;

/** Rewrites short requests to the words of tools. */
const REWRITTEN: readonly (readonly [RegExp, string])[] = [
  [/^(add|total)( up)?( two| some| the| these| several)* numbers?$/, 'sum of two numbers'],
  [/^(write|create|make|save|new)( a| an| the| new| text| plain)* files?$/, 'write file, create a new file'],
  [/^read( a| an| the| text| plain)* files?$/, 'read text file'],
];

/** The request in the words of tools; a longer one is unchanged. */
export function plainRequest(query: string): string {
  const text = query
    .trim()
    .toLowerCase()
    .replace(/[.!?]+$/, '');
  return REWRITTEN.find(([pattern]) => pattern.test(text))?.[1] ?? query;
}

/** The share of its score that a tool keeps for this request, in sixteenths: less if its verb is of another kind. */
export function verbShare(query: string, tool: string): number {
  const words = query.trim().toLowerCase().split(/\s+/);
  const wanted = words.length <= WORDS_MAX ? KIND_OF.get(words[0] ?? '') : undefined;
  if (wanted === undefined) return 16;
  const offered = KIND_OF.get(/^[a-z]+/.exec(tool.toLowerCase())?.[0] ?? '');
  return offered === undefined || offered === wanted ? 16 : OPPOSED;
}
