import { z } from 'zod';
import { CIVIC_LIMITS, ID_PATTERN, SEMVER_PATTERN } from '../config.ts';

const ASCII = /^[\x00-\x7f]*$/;

/** A text whose length counts code points after NFC [SU19]. */
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

/** A text bounded in bytes of UTF-8. */
export function bytes(max: number): z.ZodType<string, string> {
  return z.string().superRefine((value, context) => {
    if (Buffer.byteLength(value) > max) addFault(context, 'maxLength', `has more than ${max} bytes`);
  });
}

export function shaped(pattern: RegExp, what: string): z.ZodType<string, string> {
  return z.string().regex(pattern, `is not ${what}`);
}

export const kebabId = shaped(ID_PATTERN, 'a kebab-case id').superRefine((value, context) => {
  if (value.length > CIVIC_LIMITS.text.id) addFault(context, 'maxLength', 'is too long');
});
export const semver = shaped(SEMVER_PATTERN, 'a version like 1.0.0');
export const day = z.iso.date('is not a date');
export const instant = z.iso.datetime({ offset: true, error: 'is not an RFC 3339 time' });

/** Any JSON value, but not none. */
export const anyJson = z.unknown().superRefine((value, context) => {
  if (value === undefined) addFault(context, 'required', 'is required');
});

/** An absolute https URL. */
export const httpsUrl = z
  .string()
  .superRefine((value, context) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url?.protocol !== 'https:') addFault(context, 'pattern', 'is not an https URL');
    if (value.length > URL_LENGTH_MAX) addFault(context, 'maxLength', `has more than ${URL_LENGTH_MAX} characters`);
  })
  .meta({ format: 'uri', pattern: '^https://' });

const URL_LENGTH_MAX = 2000;

export function codePoints(value: string): number {
  if (ASCII.test(value)) return value.length;
  let count = 0;
  for (const _ of value.normalize('NFC')) count++;
  return count;
}

function addFault(context: z.core.$RefinementCtx, keyword: string, message: string): void {
  context.addIssue({ code: 'custom', message, params: { keyword } });
}
