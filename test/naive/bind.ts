import { naivePublicHost } from './public-address.ts';

/** What the model answers: the members that the specification names, or a code with its reason. */
export type NaiveAnswer =
  | { readonly ok: true; readonly answer: Record<string, unknown> }
  | { readonly ok: false; readonly code: string; readonly reason?: string; readonly available?: string[][] };

export interface NaiveQuestion {
  readonly identity: string;
  readonly mode: 'raw' | 'mcp';
  readonly caps?: readonly string[];
  readonly match?: 'any' | 'all';
  readonly cascade?: 'on' | 'off';
}

interface NaiveRecord {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the model looks at whatever a zone holds.
  [member: string]: any;
}

interface NaiveZone {
  readonly name: string;
  readonly ttl: unknown;
  readonly records: NaiveRecord[];
}

interface Candidate {
  readonly priority: number;
  readonly depth: number;
  readonly visit: number;
  readonly position: number;
  readonly owner: NaiveZone;
  readonly record: NaiveRecord;
  readonly effective: string[] | 'unknown';
  readonly isLimited: boolean;
}

const RESERVED = ['root', 'admin', 'openai', 'google', 'anthropic', 'meta'];

/** A second implementation of the collapse: slow, without an index, without a shortcut, written from the rules alone. */
export function naiveResolve(
  zones: ReadonlyMap<string, string>,
  question: NaiveQuestion,
  allowPrivate = false,
): NaiveAnswer {
  const name = naiveName(question.identity);
  if (name === undefined) return { ok: false, code: 'INVALID_IDENTITY' };
  if (RESERVED.includes(name)) return { ok: false, code: 'PROTECTED' };
  if (!zones.has(name)) return { ok: false, code: 'IDENTITY_NOT_FOUND' };
  const queried = readable(zones, name);
  if (!queried) return { ok: false, code: 'ZONE_CORRUPT', reason: 'corrupt' };
  if (question.mode === 'raw') {
    const answer = { identity: `ai://${name}`, records: queried.records, ttl: clamp(queried.ttl) };
    return { ok: true, answer: { ...answer, isMalformed: !isSound(queried) } };
  }
  if (!isSound(queried)) return { ok: false, code: 'ZONE_CORRUPT', reason: 'corrupt' };

  const ways: NaiveZone[][] = [[queried]];
  if (question.cascade !== 'off') {
    const reason = inheritAll(zones, ways);
    if (reason) return { ok: false, code: 'CASCADE_FAILED', reason };
  }

  const pool = ways.flatMap((way, visit) => candidatesOf(way, visit));
  if (pool.length === 0) return { ok: false, code: 'NO_MCP_RECORDS' };
  pool.sort((a, b) => b.priority - a.priority || a.depth - b.depth || a.visit - b.visit || a.position - b.position);
  const wanted = question.caps?.map(lower);
  const fitting = pool.filter((candidate) => fits(candidate, wanted, question.match ?? 'any'));
  const selected = fitting[0];
  if (!selected) {
    const available = pool.map((candidate) => candidate.effective).filter((set) => set !== 'unknown');
    return { ok: false, code: 'CAPS_UNSATISFIED', available: available.slice(0, 64) };
  }
  const { value } = selected.record;
  const url = naiveEndpoint(typeof value === 'string' ? value : value?.endpoint, allowPrivate);
  if (url === undefined) return { ok: false, code: 'INVALID_ENDPOINT' };

  const keys = selected.owner.records
    .map((record, position) => ({ record, position }))
    .filter(({ record }) => record.type === 'KEY' && isKey(record.value))
    .sort((a, b) => (b.record.priority ?? 10) - (a.record.priority ?? 10) || a.position - b.position)
    .map(({ record }) => record.value);
  const ttls = ways.map((way) => {
    const zone = way.at(-1) as NaiveZone;
    return clamp(zone === selected.owner ? (selected.record.ttl ?? zone.ttl) : zone.ttl);
  });
  return {
    ok: true,
    answer: {
      identity: `ai://${name}`,
      mode: 'mcp',
      endpoint: url,
      ttl: Math.min(...ttls),
      source: selected.depth === 0 ? 'authoritative' : 'inherited',
      ...(selected.effective === 'unknown' ? {} : { capabilities: selected.effective }),
      ...(keys.length > 0 ? { key: keys[0] } : {}),
      ...(keys.length > 1 ? { keys } : {}),
      ...(selected.depth > 0 ? { resolved_from: `ai://${selected.owner.name}` } : {}),
      ...(question.cascade === 'off' ? { cascade: 'off' } : {}),
    },
  };
}

/** Adds the way to every inherited zone; gives the reason why that fails. */
function inheritAll(zones: ReadonlyMap<string, string>, ways: NaiveZone[][]): string | undefined {
  for (let index = 0; index < ways.length; index += 1) {
    const way = ways[index] as NaiveZone[];
    const edges = cascadesOf(way.at(-1) as NaiveZone);
    if (edges.length > 16) return 'fanout';
    for (const value of edges) {
      const target = naiveName(value);
      if (ways.some((known) => known.at(-1)?.name === target)) continue;
      if (way.length - 1 + 1 > 8) return 'depth';
      if (target !== undefined && RESERVED.includes(target)) return 'protected';
      if (target === undefined || !zones.has(target)) return 'unknown_identity';
      const zone = readable(zones, target);
      if (!zone || !isSound(zone)) return 'corrupt';
      if (ways.length + 1 > 64) return 'fanout';
      ways.push([...way, zone]);
    }
  }
  // Zones without a way on are taken away until none is left; what cannot be taken away goes in a circle.
  let left = ways.map((way) => way.at(-1) as NaiveZone);
  for (;;) {
    const names = left.map((zone) => zone.name);
    const rest = left.filter((zone) => cascadesOf(zone).some((value) => names.includes(naiveName(value) ?? '')));
    if (rest.length === left.length) return left.length > 0 ? 'cycle' : undefined;
    left = rest;
  }
}

function candidatesOf(way: NaiveZone[], visit: number): Candidate[] {
  const owner = way.at(-1) as NaiveZone;
  const limits = way.map(capsOf).filter((caps) => caps !== undefined);
  return owner.records.flatMap((record, position) => {
    if (record.type !== 'MCP') return [];
    const ofValue = isPlain(record.value) ? record.value.capabilities : undefined;
    const declared: string[] | undefined = ofValue ?? record.capabilities ?? capsOf(owner);
    const effective =
      declared === undefined
        ? ('unknown' as const)
        : [...new Set(declared.map(lower))].filter((token) => limits.every((caps) => caps.includes(token))).sort();
    const isLimited = limits.length > 0;
    const common = { depth: way.length - 1, visit, position, owner, record, effective, isLimited };
    return [{ ...common, priority: record.priority }];
  });
}

function fits(candidate: Candidate, wanted: string[] | undefined, match: 'any' | 'all'): boolean {
  const { effective } = candidate;
  if (effective === 'unknown') return wanted === undefined && !candidate.isLimited;
  if (wanted === undefined) return !candidate.isLimited || effective.length > 0;
  const had = wanted.filter((token) => effective.includes(token));
  return match === 'all' ? had.length === wanted.length : had.length > 0;
}

function readable(zones: ReadonlyMap<string, string>, name: string): NaiveZone | undefined {
  try {
    const json = JSON.parse(zones.get(name) as string);
    if (!isPlain(json) || json.identity !== name || !Array.isArray(json.records)) return undefined;
    return { name, ttl: json.ttl, records: json.records as NaiveRecord[] };
  } catch {
    return undefined;
  }
}

/** Nothing in the zone that a write would refuse among the types that decide. */
function isSound(zone: NaiveZone): boolean {
  const isTtl = (ttl: unknown) => ttl === undefined || Number.isInteger(ttl);
  const isRank = (rank: unknown) => Number.isInteger(rank) && Math.abs((rank as number) + 0.5) <= 2 ** 31 - 0.5;
  const isTokens = (tokens: unknown) =>
    Array.isArray(tokens) &&
    tokens.every((token) => typeof token === 'string' && /^[a-z0-9][a-z0-9._:/-]{0,63}$/.test(lower(token)));
  if (!isTtl(zone.ttl)) return false;
  return zone.records.every((record) => {
    if (!isPlain(record) || typeof record.type !== 'string') return false;
    if (!['MCP', 'CAPS', 'KEY', 'CASCADE'].includes(record.type)) return true;
    if (!isTtl(record.ttl)) return false;
    if (record.type === 'MCP') {
      const ofValue = isPlain(record.value) ? record.value.capabilities : undefined;
      const lists = [ofValue, record.capabilities].filter((list) => list !== undefined);
      return isRank(record.priority) && lists.every(isTokens);
    }
    if (record.priority !== undefined && !isRank(record.priority)) return false;
    if (record.type === 'CAPS') return isTokens(record.value);
    if (record.type === 'KEY') return isKey(record.value);
    return record.type !== 'CASCADE' || typeof record.value === 'string';
  });
}

function cascadesOf(zone: NaiveZone): string[] {
  return zone.records
    .map((record, position) => ({ record, position }))
    .filter(({ record }) => record.type === 'CASCADE')
    .sort((a, b) => (b.record.priority ?? 10) - (a.record.priority ?? 10) || a.position - b.position)
    .map(({ record }) => record.value);
}

function capsOf(zone: NaiveZone): string[] | undefined {
  const records = zone.records.filter((record) => record.type === 'CAPS');
  return records.length === 0 ? undefined : records.flatMap((record) => record.value.map(lower));
}

/** An identity, letter by letter. */
export function naiveName(input: string): string | undefined {
  let rest = input;
  for (const scheme of ['ai://', 'mcp://']) {
    if (lower(input).startsWith(scheme)) rest = input.slice(scheme.length);
  }
  if (['?', '#', '%'].some((mark) => rest.includes(mark))) return undefined;
  if (rest.endsWith('/')) rest = rest.slice(0, -1);
  const [before = '', ...behind] = rest.split('@');
  const name = lower(before);
  const [host = '', ...path] = behind.join('@').split('/');
  if (path.length > 0 && isHostName(host)) return undefined;
  const isInner = (letter: string) => 'abcdefghijklmnopqrstuvwxyz0123456789_-'.includes(letter);
  const isOuter = (letter: string | undefined) => letter !== undefined && letter !== '_' && letter !== '-';
  const letters = [...name];
  if (letters.length < 1 || letters.length > 63 || !letters.every(isInner)) return undefined;
  return isOuter(letters[0]) && isOuter(letters.at(-1)) ? name : undefined;
}

/** A host with a dot, such as `org.example:8443`, letter by letter. */
function isHostName(text: string): boolean {
  const [host = '', port = '1', ...more] = text.split(':');
  const labels = host.split('.');
  const isLabel = (label: string) =>
    label.length > 0 &&
    label.length < 64 &&
    [...lower(label)].every((letter) => 'abcdefghijklmnopqrstuvwxyz0123456789-'.includes(letter));
  return labels.length > 1 && more.length === 0 && labels.every(isLabel) && /^[1-9][0-9]{0,4}$/.test(port);
}

/** A URL that may be served, in its canonical form. */
export function naiveEndpoint(value: unknown, allowPrivate: boolean): string | undefined {
  if (typeof value !== 'string' || value.length > 2048) return undefined;
  for (const letter of value) if (letter.trim() === '' || /\p{Cc}/u.test(letter)) return undefined;
  const begin = value.slice(0, 9).toLowerCase();
  if (!begin.startsWith('https://') || begin.endsWith('/') || begin.endsWith('\\')) return undefined;
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'https:' || url.href.length > 2048 || url.port === '0' || value.includes('#')) return undefined;
  if (url.username !== '' || url.password !== '' || /^https:[/\\]*[^/\\?]*@/i.test(value)) return undefined;
  if (allowPrivate) return url.href;
  return naivePublicHost(url.hostname) ? url.href : undefined;
}

function isKey(value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith('ed25519:')) return false;
  const text = value.slice('ed25519:'.length);
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text;
}

function clamp(ttl: unknown): number {
  const seconds = Number.isInteger(ttl) ? (ttl as number) : 3600;
  return Math.max(1, Math.min(86_400, seconds));
}

function lower(text: string): string {
  return [...text].map((letter) => (letter >= 'A' && letter <= 'Z' ? letter.toLowerCase() : letter)).join('');
}

// biome-ignore lint/suspicious/noExplicitAny: the model looks at whatever a zone holds.
function isPlain(value: unknown): value is Record<string, any> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
