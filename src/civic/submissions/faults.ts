import type { z } from 'zod';
import { BinderyError, type ErrorCode } from '../../contract/errors.ts';
import type { InputIssue } from '../../contract/operation.ts';

/** One thing that is wrong with a request, as clients see it. */
export type Fault = InputIssue;

/** The faults of a refused parse of `raw`, in the words of JSON Schema. */
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

/** The problem that lists these faults; its own pointer and keyword are the first one's. */
export function faultsError(code: ErrorCode, faults: readonly Fault[]): BinderyError {
  const errors = sortFaults(faults);
  const first = errors[0] as Fault;
  return new BinderyError(code, {
    detail: errors.map((one) => `${one.pointer || '/'}: ${one.message}`).join('; '),
    members: { pointer: first.pointer, keyword: first.keyword, errors },
  });
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function unknownMember(path: readonly PropertyKey[], key: string): Fault {
  return fault(toPointer([...path, key]), 'additionalProperties', 'is not a known member');
}

function keywordOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return 'type';
    case 'too_small':
      return issue.origin === 'string' ? 'minLength' : issue.origin === 'array' ? 'minItems' : 'minimum';
    case 'too_big':
      return issue.origin === 'string' ? 'maxLength' : issue.origin === 'array' ? 'maxItems' : 'maximum';
    case 'invalid_format':
      return 'pattern';
    case 'invalid_value':
    case 'invalid_union':
      return 'enum';
    case 'custom':
      return typeof issue.params?.keyword === 'string' ? issue.params.keyword : 'custom';
    default:
      return issue.code;
  }
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is not a value of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `is not one of ${issue.values.map(String).join(', ')}`;
  return issue.message;
}

/** What stands at a path of a JSON value; undefined: nothing. */
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
