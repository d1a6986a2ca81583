import { z } from 'zod';
import { codePoints } from '../code-points.ts';
import { CIVIC_LIMITS, ID_PATTERN, SEMVER_PATTERN } from '../config.ts';
import { markdownSteps } from '../corpus/markdown-work.ts';

/** A text limited in code points after NFC [SU19]. */
export function text(max: number, min = 0): z.ZodType<string, string> {
  return z
    .string()
    .superRefine((value, context) => {
      const length = codePoints(value);
      if (length < min) addFault(context, 'minLength', `has fewer than ${min} characters`);
      if (length > max) addFault(context, 'maxLength', `has more than ${max} characters`);
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** A text limited in UTF-8 bytes. */
export function bytes(max: number): z.ZodType<string, string> {
  return z.string().superRefine((value, context) => {
    if (Buffer.byteLength(value) > max) addFault(context, 'maxLength', `has more than ${max} bytes`);
  });
}

/** Markdown or a diff of it, limited in bytes, lines, link definitions and steps: together they bound the time that a parse takes. */
export function markdown(bytesMax: number, linesMax: number, isDiff = false): z.ZodType<string, string> {
  const { link_definitions_max: definitionsMax, markdown_steps_max: stepsMax } = CIVIC_LIMITS;
  return bytes(bytesMax).superRefine((value, context) => {
    if (count(value, '\n') > linesMax) addFault(context, 'maxLength', `has more than ${linesMax} lines`);
    if (count(value, ']:') > definitionsMax) {
      addFault(context, 'maxLength', `has more than ${definitionsMax} link definitions`);
    }
    if (markdownSteps(isDiff ? newLinesOf(value) : value) > stepsMax) {
      addFault(context, 'maxLength', `needs more than ${stepsMax} steps to read (markdown_steps_max): ${STEPS_ADVICE}`);
    }
  });
}

/** The lines that a diff adds or leaves; hunks are apart from each other. */
function newLinesOf(diff: string): string {
  const lines = diff.split('\n').filter((line) => !line.startsWith('-'));
  return lines.map((line) => (line.startsWith('@@') ? '' : line.slice(1))).join('\n');
}

const STEPS_ADVICE = 'use shorter paragraphs with fewer *, _, [, ` and <, and fewer levels of lists and quotes';

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

export function shaped(pattern: RegExp, what: string): z.ZodType<string, string> {
  return z.string().regex(pattern, `is not ${what}`);
}

export const kebabId = shaped(ID_PATTERN, 'a kebab-case id').superRefine((value, context) => {
  if (value.length > CIVIC_LIMITS.text.id) addFault(context, 'maxLength', 'is too long');
});
export const semver = shaped(SEMVER_PATTERN, 'a version like 1.0.0');
export const day = z.iso.date('is not a date');

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 time: letters in either case, leap seconds allowed, although Date cannot represent them. */
export const instant = z
  .string()
  .superRefine((value, context) => {
    const date = RFC_3339.exec(value)?.[1];
    if (date === undefined || !z.core.regexes.date.test(date)) addFault(context, 'pattern', 'is not an RFC 3339 time');
  })
  .meta({ format: 'date-time' });

/** Any JSON value, but required. */
export const anyJson = z.unknown().superRefine((value, context) => {
  if (value === undefined) addFault(context, 'required', 'is required');
});

/** An absolute https URL. */
export const httpsUrl = z
  .string()
  .superRefine((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'https:') addFault(context, 'pattern', 'is not an https URL');
    // Programs drop line ends and spaces around a URL, so hidden words could follow it.
    else if (/[\s\p{C}]/u.test(value)) addFault(context, 'pattern', 'has white space or control characters');
    if (value.length > URL_LENGTH_MAX) addFault(context, 'maxLength', `has more than ${URL_LENGTH_MAX} characters`);
  })
  .meta({ format: 'uri', pattern: '^https://' });

const URL_LENGTH_MAX = 2000;

function addFault(context: z.core.$RefinementCtx, keyword: string, message: string): void {
  context.addIssue({ code: 'custom', message, params: { keyword } });
}
