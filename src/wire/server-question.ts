import { isObject, type JsonObject } from '../contract/json.ts';
import { isLoopbackHost } from '../contract/public-address.ts';
import { visibleLines } from '../contract/visible-text.ts';
import { foldCase } from './fold-case.ts';

/**
 * Prefixes a server's question with its name, so that no server can ask in the name of Bindery or of another server: its own text
 * always follows the name. Makes hidden characters visible. Questions without text for a person stay unchanged, as do all questions in
 * a bare profile (`server` is undefined).
 */
export function namedQuestion(server: string | undefined, method: string, params: JsonObject): JsonObject {
  if (server === undefined) return params;
  switch (method) {
    case 'elicitation/create':
      return namedElicitation(server, params);
    case 'sampling/createMessage': {
      const known = knownMembers(method, params);
      return { ...known, ...withOwnMeta(params._meta), systemPrompt: named(server, params.systemPrompt) };
    }
    default:
      return knownMembers(method, params);
  }
}

/** The questions that a server can ask, and the members of their params. A client could display any other member as ours. */
const QUESTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['elicitation/create', ['mode', 'message', 'requestedSchema', 'url', 'elicitationId', 'task', '_meta']],
  [
    'sampling/createMessage',
    [
      'messages',
      'systemPrompt',
      'maxTokens',
      'temperature',
      'stopSequences',
      'modelPreferences',
      'includeContext',
      'metadata',
      'tools',
      'toolChoice',
      'task',
      '_meta',
    ],
  ],
  ['roots/list', ['_meta']],
]);

function knownMembers(method: string, params: JsonObject): JsonObject {
  const names = QUESTIONS.get(method) ?? [];
  return Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name)));
}

/** Whether a server can ask this at all. */
export function isAskableMethod(method: string): boolean {
  return QUESTIONS.has(method);
}

/** The pages that an error `URL_ELICITATION_REQUIRED` names, without unsafe ones. */
export function namedPages(server: string | undefined, data: unknown): unknown {
  if (!isObject(data) || !Array.isArray(data.elicitations)) return data;
  const elicitations = data.elicitations
    .filter((page: unknown) => !isObject(page) || isSafeQuestion('elicitation/create', page))
    .map((page: unknown) => (isObject(page) && server !== undefined ? namedElicitation(server, page) : page));
  return { ...data, elicitations };
}

/**
 * Whether a question is safe for a client that may display names unmodified. Names and values of a form go back to the server and
 * cannot be rewritten, so none of them may look like our question prefix.
 */
export function isSafeQuestion(method: string, params: JsonObject): boolean {
  return hasSafePages(method, params) && (method !== 'elicitation/create' || hasPlainNames(params.requestedSchema));
}

/**
 * Whether all pages of a question are safe to open: https, or http on this machine. Browsers execute `javascript:` and `data:` and
 * pass unknown schemes to other programs, and text before an `@` can look like the host.
 */
export function hasSafePages(method: string, params: JsonObject): boolean {
  if (method !== 'elicitation/create') return true;
  const pages = pagesOf(params);
  return pages.every(isSafePage) && (params.mode !== 'url' || pages.length > 0);
}

/** Case-insensitive clients also read `URL`. */
function pagesOf(params: JsonObject): unknown[] {
  return Object.entries(params).flatMap(([name, value]) => (foldCase(name) === 'url' ? [value] : []));
}

/** Whether a client declared the capability for this question. */
export function isAskable(
  { capabilities }: { readonly capabilities: JsonObject },
  method: string,
  params: JsonObject = {},
): boolean {
  switch (method) {
    case 'elicitation/create':
      // A case-insensitive client would read another mode than the checked one.
      if (Object.keys(params).some((name) => name !== 'mode' && foldCase(name) === 'mode')) return false;
      if (!isSafeQuestion(method, params)) return false;
      return isElicitable(capabilities.elicitation, params.mode === 'url' ? 'url' : 'form');
    case 'sampling/createMessage':
      return capabilities.sampling !== undefined;
    case 'roots/list':
      return capabilities.roots !== undefined;
    default:
      return false;
  }
}

/** A client that names no mode supports forms: elicitation had no modes at first. */
function isElicitable(declared: unknown, mode: 'form' | 'url'): boolean {
  if (!isObject(declared)) return false;
  return declared[mode] !== undefined || (mode === 'form' && declared.url === undefined);
}

/** Control characters, line ends, and characters that change the direction of text. */
const DISRUPTIVE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function hasPlainNames(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(hasPlainNames);
  if (!isObject(schema)) return true;
  return Object.entries(schema).every(([name, member]) => {
    if (name === 'enum' || name === 'const') return [member].flat().every(isPlainName);
    if (name === 'default') return [member].flat().every(isPlainDefault);
    if (name !== 'properties' || !isObject(member)) return hasPlainNames(member);
    return Object.entries(member).every(([field, inner]) => isPlainName(field) && hasPlainNames(inner));
  });
}

function isPlainName(name: unknown): boolean {
  return typeof name !== 'string' || !(DISRUPTIVE.test(name) || hasHead(name));
}

/** A default is a value that goes back to the server, and may have several lines. */
function isPlainDefault(value: unknown): boolean {
  return isPlainName(typeof value === 'string' ? value.replaceAll(/[\n\r\t]/g, ' ') : value);
}

function isSafePage(text: unknown): boolean {
  if (typeof text !== 'string' || DISRUPTIVE.test(text)) return false;
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function namedElicitation(server: string, question: JsonObject): JsonObject {
  const { requestedSchema, _meta, ...params } = knownMembers('elicitation/create', question);
  const odd = pagesOf(params)
    .map(oddHost)
    .find((host) => host !== undefined);
  return {
    ...params,
    ...withOwnMeta(_meta),
    // The form that a browser opens: ASCII alone.
    ...(typeof params.url === 'string' ? { url: URL.parse(params.url)?.href } : {}),
    message: named(server, params.message, odd === undefined ? '' : ` (The page is at ${odd}, in unusual letters.)`),
    ...(requestedSchema === undefined ? {} : { requestedSchema: visibleForm(requestedSchema) }),
  };
}

/** The ASCII form of an internationalised host: its letters may imitate others. */
function oddHost(page: unknown): string | undefined {
  const host = typeof page === 'string' ? URL.parse(page)?.hostname : undefined;
  return host?.split('.').some((part) => part.startsWith('xn--')) ? host : undefined;
}

/** Removes reserved `_meta` keys: a server may only set the related task of a question, not other keys of the protocol or of Bindery. */
function withOwnMeta(meta: unknown): { readonly _meta?: unknown } {
  if (!isObject(meta)) return meta === undefined ? {} : { _meta: meta };
  const isOwn = (key: string) => key === RELATED_TASK || !RESERVED_KEY.test(foldCase(key));
  return { _meta: Object.fromEntries(Object.entries(meta).filter(([key]) => isOwn(key))) };
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

const RESERVED_KEY = /^(?:[^/]*\.)?(?:bindery|mcp|modelcontextprotocol)(?:\.[^/]*)?\//;

function named(server: string, text: unknown, note = ''): string {
  const head = `[server ${server} asks]${note}`;
  return typeof text === 'string' && text !== '' ? `${head} ${withoutHeads(visibleLines(text))}` : head;
}

/** Replaces the brackets of text that looks like our prefix. Further lines must not even begin with a bracket. */
function withoutHeads(text: string): string {
  const [first = '', ...lines] = text.split('\n');
  const isSafe = (line: string, at: number) => !hasHead(line) && (at === 0 || !BEGINS_WITH_BRACKET.test(line));
  return [first, ...lines].map((line, at) => (isSafe(line, at) ? line : withoutBrackets(line))).join('\n');
}

/** Square brackets and similar ones (all except parentheses, braces and quotation marks). */
const OPENING = /[[\p{Ps}\u23a1-\u23a3]--[\(\{\u201a\u201e\u2e42\u301d\uff08\uff5b]]/gv;
const CLOSING = /[[\p{Pe}\u23a4-\u23a6]--[\)\}\u301e\u301f\uff09\uff5d]]/gv;
const BEGINS_WITH_BRACKET = /^[^\p{L}\p{N}]*[[\p{Ps}\u23a1-\u23a3]--[\(\{\u201a\u201e\u2e42\u301d\uff08\uff5b]]/v;

/** Letters of other scripts that look like the letters of `asks`. */
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/[\u0430\u03b1\u0251]/g, 'a'],
  [/[\u0455\ua731]/g, 's'],
  [/[\u043a\u03ba\u1d0b]/g, 'k'],
];

/** Whether a text contains something like our prefix, in any spelling of letters, spaces and brackets. */
function hasHead(text: string): boolean {
  let folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(CLOSING, ']');
  for (const [letters, plain] of LOOK_ALIKES) folded = folded.replaceAll(letters, plain);
  return /asks[^\p{L}\p{N}\]]*\]/u.test(folded);
}

/**
 * The displayed parts of a form. Brackets become parentheses, since our prefix uses brackets. Names and values of fields go back to
 * the server and stay unchanged; if one contains brackets, it gets a label.
 */
function visibleForm(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(visibleForm);
  if (!isObject(schema)) return schema;
  const shown = Object.entries(schema).map(([name, member]) => [name, visibleMember(name, member)]);
  return Object.fromEntries([...choiceLabels(schema), ...shown]);
}

function visibleMember(name: string, member: unknown): unknown {
  if (LABELS.has(name) && typeof member === 'string') return label(member);
  // A default is a value, but a person sees it first. The gateway refuses such a form before it comes here.
  if (name === 'default' && typeof member === 'string') return hasHead(member) ? withoutBrackets(member) : member;
  if (name === 'enumNames' && Array.isArray(member))
    return member.map((one) => (typeof one === 'string' ? label(one) : one));
  if (name === 'properties' && isObject(member))
    return Object.fromEntries(Object.entries(member).map(([field, schema]) => [field, visibleField(field, schema)]));
  return visibleForm(member);
}

function visibleField(name: string, schema: unknown): unknown {
  const shown = visibleForm(schema);
  return isObject(shown) && typeof shown.title !== 'string' && label(name) !== name
    ? { ...shown, title: label(name) }
    : shown;
}

/** Labels for the values of a list, if it has none and needs some. */
function choiceLabels({ enum: values, enumNames }: JsonObject): [string, unknown][] {
  if (!Array.isArray(values) || enumNames !== undefined) return [];
  const labels = values.map((value) => label(String(value)));
  return labels.every((text, index) => text === String(values[index])) ? [] : [['enumNames', labels]];
}

const LABELS = new Set(['title', 'description']);

function label(text: string): string {
  return withoutBrackets(visibleLines(text));
}

/** Replaces brackets with parentheses. */
function withoutBrackets(text: string): string {
  return text.replaceAll(OPENING, '(').replaceAll(CLOSING, ')');
}
