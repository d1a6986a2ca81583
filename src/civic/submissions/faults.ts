import type { z } from 'zod';
import { BinderyError, type ErrorCode } from '../../contract/errors.ts';
import { schemaKeyword, toPointer, unknownMember } from '../../contract/input-issues.ts';
import type { InputIssue } from '../../contract/operation.ts';

/** One fault of a request, as clients see it. */
export type Fault = InputIssue;

/** The faults of a failed parse of `raw`, with JSON Schema keywords. */
export function zodFaults(error: z.ZodError, raw: unknown): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(issue.path, key));
    const pointer = toPointer(issue.path);
    if (issue.code !== 'custom' && valueAt(raw, issue.path) === undefined) {
      return [fault(pointer, 'required', 'is required')];
    }
    return [fault(pointer, keywordOf(issue), messageOf(issue))];
  });
}

export function fault(pointer: string, keyword: string, message: string): Fault {
  return { pointer, keyword, message };
}

/** Sorted by pointer, one per pointer and keyword. */
export function sortFaults(faults: readonly Fault[]): Fault[] {
  const unique = new Map(faults.map((one) => [`${one.pointer}\n${one.keyword}`, one]));
  return [...unique.values()].sort((a, b) => compare(a.pointer, b.pointer) || compare(a.keyword, b.keyword));
}

/** The error for these faults; its own pointer and keyword come from the first one. */
export function faultsError(code: ErrorCode, faults: readonly Fault[]): BinderyError {
  const errors = sortFaults(faults);
  const first = errors[0] as Fault;
  return new BinderyError(code, {
    detail: errors.map((one) => `${one.pointer || '/'}: ${one.message}`).join('; '),
    members: { pointer: first.pointer, keyword: first.keyword, errors },
  });
}

function keywordOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') return 'enum';
  if (issue.code === 'invalid_value' && issue.values.length === 1) return 'const';
  if (issue.code === 'custom' && typeof issue.params?.keyword === 'string') return issue.params.keyword;
  return schemaKeyword(issue);
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is not a value of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `is not one of ${issue.values.map(String).join(', ')}`;
  return issue.message;
}

/** The member names in a JSON pointer. */
export function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The member at a path of a JSON value, or undefined. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return at;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
