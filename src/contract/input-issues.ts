import type { z } from 'zod';
import { didYouMean } from './nearest-word.ts';
import type { InputIssue } from './operation.ts';

/** The issues of an input that was parsed with `reportInput`, in the terms of JSON Schema. */
export function inputIssues(error: z.ZodError): InputIssue[] {
  return error.issues.flatMap((issue): InputIssue[] => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(issue.path, key));
    const isMissing = issue.input === undefined && issue.code.startsWith('invalid_');
    const keyword = isMissing ? 'required' : schemaKeyword(issue);
    const message = isMissing ? 'is missing' : `${issueWords(issue)}${meantValue(issue)}`;
    return [{ pointer: toPointer(issue.path), keyword, message }];
  });
}

/** Describes an issue without quoting the value. */
export function issueWords(issue: z.core.$ZodIssue): string {
  // A message of the schema itself is used as it is.
  if (!/^(?:Invalid (?:input|option)|Too (?:small|big))/.test(issue.message)) return issue.message;
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : '';
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${TYPE_WORDS[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return isCounted(issue.origin)
        ? `must have at least ${issue.minimum}${unit || ' items'}`
        : `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    case 'too_big':
      return isCounted(issue.origin)
        ? `must have at most ${issue.maximum}${unit || ' items'}`
        : `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function isCounted(origin: string): boolean {
  return ['string', 'array', 'set', 'map'].includes(origin);
}

/** A suggestion for a misspelt value. */
function meantValue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return '';
  const { input, values } = issue;
  const begun = values.map(String).filter((value) => input !== '' && value.startsWith(input));
  if (begun.length > 1) return `. Did you mean ${begun.join(' or ')}?`;
  const hint = didYouMean(input, values.map(String));
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
      // A list in place of one value means that it was given twice: the values themselves may be valid.
      return Array.isArray(issue.input) ? 'type' : 'enum';
    default:
      return issue.code;
  }
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
