import { type ClientServer, UnreadableFile } from './client-server.ts';
import { type TomlStatement, tomlStatements } from './toml-statements.ts';
import { tomlText, tomlValue } from './toml-value.ts';

/** The servers of the tables `[section.<id>]`, in order. */
export function readTomlServers(text: string, section: string): ClientServer[] {
  const servers = new Map<string, Record<string, unknown>>();
  let table: readonly string[] = [];
  for (const statement of tomlStatements(text)) {
    if (statement.kind !== 'pair') {
      table = statement.path;
      if (table[0] !== section) continue;
      if (statement.kind === 'tables') throw new UnreadableFile(`[[${section}]] is not understood`);
      if (table[1] !== undefined) put(servers, table.slice(1), undefined);
      continue;
    }
    const path = [...table, ...statement.path];
    if (path[0] !== section) continue;
    if (path.length < 2) throw new UnreadableFile(`${section} is written in a way that is not understood`);
    put(servers, path.slice(1), tomlValue(text, statement.valueAt));
  }
  return [...servers].map(([id, value]) => ({ id, value }));
}

/** Replaces all tables of the section by one. Keeps comments of other tables, and those between tables. */
export function replaceTomlServers(text: string, section: string, id: string, entry: object): string {
  const eol = eolOf(text);
  const ours = [
    `[${section}.${id}]`,
    ...Object.entries(entry).map(([name, value]) => `${name} = ${tomlText(value)}`),
  ].join(eol);
  const spans = tablesOf(text, section);
  const [first] = spans;
  if (!first) {
    const gap = text.trim() === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`;
    return `${text}${gap}${ours}${eol}`;
  }
  const kept = spans.map(({ end }, index) => {
    const next = spans[index + 1];
    const gap = text.slice(end, next?.start);
    // Remove blank lines between two removed tables.
    return next && gap.trim() === '' ? '' : gap;
  });
  return `${text.slice(0, first.start)}${ours}${eol}${kept.join('')}`;
}

/** Adds or replaces a table, or removes it if `entry` is undefined; keeps every other byte. */
export function setTomlServer(text: string, section: string, id: string, entry: object | undefined): string {
  // Parse first: an unreadable part may belong to the table that changes.
  if (entry) readTomlServers(text, section);
  const lines = Object.entries(entry ?? {}).map(([name, value]) => `${name} = ${tomlText(value)}`);
  const tables = entry ? [`[${section}.${id}]`, ...lines].join(eolOf(text)) : undefined;
  return withTables(text, tables, section, id);
}

/** Restores the tables of a server from another version of the file. */
export function bringBackTomlServer(text: string, before: string, section: string, id: string): string {
  const tables = tablesOf(before, section, id).map(({ start, end }) => before.slice(start, end).trimEnd());
  return withTables(text, tables.join(`${eolOf(text)}${eolOf(text)}`), section, id);
}

/** Replaces the tables of a server; undefined removes them. */
function withTables(text: string, tables: string | undefined, section: string, id: string): string {
  const [first, ...others] = tablesOf(text, section, id);
  const eol = eolOf(text);
  if (!first) {
    const gap = text.trim() === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`;
    return tables === undefined ? text : `${text}${gap}${tables}${eol}`;
  }
  // Also remove the blank lines before a removed table.
  const rest = others
    .toReversed()
    .reduce((left, { start, end }) => left.slice(0, start).replace(BLANK_LINES, '$1') + left.slice(end), text);
  const [before, after] = [rest.slice(0, first.start), rest.slice(first.end)];
  const lineEnd = rest.slice(first.start, first.end).endsWith('\n') ? eol : '';
  return tables === undefined
    ? `${before.trimEnd()}${before.trim() === '' ? '' : eol}${after.trimStart()}`
    : `${before}${tables}${lineEnd}${after}`;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

const BLANK_LINES = /(\r?\n)(?:[ \t]*\r?\n)+$/;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The spans from each header of the section to its last pair; the text after that belongs to the next table. */
function tablesOf(text: string, section: string, id?: string): Span[] {
  const spans: Span[] = [];
  let isInside = false;
  let table: TomlStatement | undefined;
  for (const statement of tomlStatements(text)) {
    if (statement.kind !== 'pair') {
      table = statement;
      isInside = statement.path[0] === section && (id === undefined || statement.path[1] === id);
      if (isInside) spans.push({ start: statement.start, end: statement.end });
    } else if (isInside) {
      spans.push({ start: spans.pop()?.start ?? statement.start, end: statement.end });
    } else if (!table && statement.path[0] === section) {
      throw new UnreadableFile(`${section} is written in a way that is not understood`);
    }
  }
  return spans;
}

function put(servers: Map<string, Record<string, unknown>>, path: readonly string[], value: unknown): void {
  const [id = '', ...keys] = path;
  if (keys.length === 0 && typeof value === 'object' && value !== null) {
    servers.set(id, value as Record<string, unknown>);
    return;
  }
  let members = servers.get(id) ?? {};
  servers.set(id, members);
  keys.forEach((key, index) => {
    if (index === keys.length - 1 && value !== undefined) define(members, key, value);
    else {
      const inner = Object.hasOwn(members, key) ? members[key] : {};
      if (typeof inner !== 'object' || inner === null) throw new UnreadableFile(`${path.join('.')} is defined twice`);
      define(members, key, inner);
      members = inner as Record<string, unknown>;
    }
  });
}

/** Defines an own property for any key: `__proto__` is a legal TOML key. */
function define(members: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
}
