import { z } from 'zod';

/** What a header carries unchanged: printable ASCII, without spaces at its ends. */
const BEARER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export const BEARER_RULE = 'a header carries only printable ASCII characters, and no spaces at the ends';

/** A token that callers send as `Authorization: Bearer`; one with other characters would never match. */
export const BearerToken = z.string().min(1).regex(BEARER, BEARER_RULE);

export function isBearerToken(text: string): boolean {
  return BEARER.test(text);
}
