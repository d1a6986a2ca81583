import { unknownMember } from '../../contract/input-issues.ts';
import type { HttpParts, InputIssue } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { schemaInvalid } from '../failures.ts';

/** The query as an object; refuses unknown or repeated parameters. */
export function queryOf(query: URLSearchParams, isKnown: (name: string) => boolean): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  const issues: InputIssue[] = [];
  for (const [name, value] of query) {
    if (!isKnown(name)) issues.push(extraParameter(name, 'is not a known member'));
    else if (name in values) issues.push(extraParameter(name, 'is there more than once'));
    values[name] = value;
  }
  if (issues.length > 0) throw schemaInvalid(issues);
  return { ...values };
}

/** Reads a route's input from its path and these query parameters only. */
export function fromQuery(...names: readonly string[]): (parts: HttpParts) => unknown {
  if (names.length === 0) {
    return (parts) => {
      if (parts.query.size > 0) queryOf(parts.query, () => false);
      return parts.params;
    };
  }
  return (parts) => ({ ...queryOf(parts.query, (name) => names.includes(name)), ...parts.params });
}

/** Reads a route's input from its JSON body only. */
export function fromBody(parts: HttpParts): unknown {
  queryOf(parts.query, () => false);
  if (isDeeperThan(parts.body, CIVIC_LIMITS.nesting_max)) {
    throw schemaInvalid([{ pointer: '', keyword: 'maxDepth', message: 'nests too deep' }]);
  }
  const prototypes = findPrototypes(parts.body, []);
  if (prototypes.length > 0) throw schemaInvalid(prototypes);
  return parts.body;
}

/** Members named `__proto__`, which a loose schema would silently ignore [SU25]. */
function findPrototypes(value: unknown, path: readonly PropertyKey[]): InputIssue[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '__proto__' ? [unknownMember(path, name)] : findPrototypes(member, [...path, name]),
  );
}

/** Whether a JSON value nests deeper than this. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

function extraParameter(name: string, message: string): InputIssue {
  const pointer = `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, keyword: 'additionalProperties', message };
}
