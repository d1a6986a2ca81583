import type { z } from 'zod';
import { didYouMean } from './nearest-word.ts';
import type { InputIssue } from './operation.ts';

/** What is wrong with an input that was parsed with `reportInput`, in the words of JSON Schema. */
export function inputIssues(error: z.ZodError): InputIssue[] {
  return error.issues.flatMap((issue): InputIssue[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(issue.path, key));
    const isMissing = issue.input === undefined && issue.code.startsWith('invalid_');
    const keyword = isMissing ? 'required' : schemaKeyword(issue);
    return [{ pointer: toPointer(issue.path), keyword, message: `${issue.message}${meantValue(issue)}` }];
  });
}

/** The known value that a misspelt one probably stands for. */
function meantValue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return '';
  const hint = didYouMean(issue.input, issue.values.map(String));
  return hint === '' ? '' : `. ${hint}`;
}

export function unknownMember(path: readonly PropertyKey[], key: string): InputIssue {
  return { pointer: toPointer([...path, key]), keyword: 'additionalProperties', message: 'is not a known member' };
}

/** The JSON Schema keyword that a validator would name for this issue. */
export function schemaKeyword(issue: z.core.$ZodIssue): string {
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
      // A list where one value is expected was given twice: the values themselves may be known.
      return Array.isArray(issue.input) ? 'type' : 'enum';
    default:
      return issue.code;
  }
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
