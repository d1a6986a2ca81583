/**
 * What people type first is short: a verb and a thing. There the verb decides, and a tool whose name begins with an opposite verb is
 * not meant, however many other words it shares.
 */
const WORDS_MAX = 6;

const KINDS: Readonly<Record<string, readonly string[]>> = {
  write: ['write', 'save', 'create', 'make', 'store', 'new', 'put'],
  read: ['read', 'get', 'fetch', 'list', 'view', 'show', 'open', 'search', 'find'],
  edit: ['edit', 'change', 'update', 'modify', 'replace'],
  remove: ['delete', 'remove', 'erase'],
};

const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, verbs]) => verbs.map((verb) => [verb, kind] as const)));

/** How much of its score a tool keeps whose verb is of another kind, in sixteenths. */
const OPPOSED = 9;

/** Short requests in the words of tools. */
const REWRITTEN: readonly (readonly [RegExp, string])[] = [
  [/^(add|total)( up)?( two| some| the| these| several)* numbers?$/, 'sum of two numbers'],
  [/^(write|create|make|save|new)( a| an| the| new| text| plain)* files?$/, 'write file, create a new file'],
  [/^read( a| an| the| text| plain)* files?$/, 'read text file'],
];

/** The request as tools would say it; a longer one stays as it is. */
export function plainRequest(query: string): string {
  const text = query
    .trim()
    .toLowerCase()
    .replace(/[.!?]+$/, '');
  return REWRITTEN.find(([pattern]) => pattern.test(text))?.[1] ?? query;
}

/** How much a tool keeps of its score for this request, in sixteenths: less where its verb is of another kind. */
export function verbShare(query: string, tool: string): number {
  const words = query.trim().toLowerCase().split(/\s+/);
  const wanted = words.length <= WORDS_MAX ? KIND_OF.get(words[0] ?? '') : undefined;
  if (wanted === undefined) return 16;
  const offered = KIND_OF.get(/^[a-z]+/.exec(tool.toLowerCase())?.[0] ?? '');
  return offered === undefined || offered === wanted ? 16 : OPPOSED;
}
