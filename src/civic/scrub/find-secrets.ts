import { decodeBase64 } from './decode-urls.ts';
import type { Hit } from './find-identifiers.ts';
import { SCRUB_LIMITS } from './limits.ts';

const SECRET_NAMES = '(?:token|key|sig|signature|session|code|auth|jwt|secret|password)';

/** A query or fragment member whose name marks its value as secret [PV11]. */
export const URL_SECRET = new RegExp(
  `[?&#;/](?:[A-Za-z0-9_.~%\\[\\]-]{0,60}[_-])?${SECRET_NAMES}(?:%5D|\\])?=[^\\s&#;"'<>]{6,}`,
  'gi',
);
const USERINFO = /:\/\/[^\s/?#@"'<>]{1,200}@/g;
const JWT = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g;
/** Links from e-mails that grant access to every holder. */
const MAIL_LINK =
  /\/(?:confirm|verify|reset|unsubscribe|magic|invite|activate|optin|opt-in)[a-z-]{0,20}\/(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,}/gi;

/** Finds credentials in URLs: userinfo, secret members, JSON web tokens, links from e-mails. */
export function findUrlSecrets(text: string): Hit[] {
  const hits: Hit[] = [];
  const add = (pattern: RegExp): void => {
    for (const { index, 0: match } of text.matchAll(pattern)) {
      hits.push({ rule: 'url_secret', start: index, end: index + match.length });
    }
  };
  if (text.includes('=')) add(URL_SECRET);
  if (text.includes('://')) {
    if (text.includes('@')) add(USERINFO);
    add(MAIL_LINK);
  }
  if (text.includes('eyJ')) add(JWT);
  return hits;
}

/** Keys with a known vendor prefix. */
export const API_KEY = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    'sk-[A-Za-z0-9_-]{16,}',
    '[spr]k_(?:live|test)_[A-Za-z0-9]{10,}',
    'gh[pousr]_[A-Za-z0-9]{20,}',
    'github_pat_[A-Za-z0-9_]{20,}',
    'glpat-[A-Za-z0-9_-]{16,}',
    'xox[abeprs]-[A-Za-z0-9-]{10,}',
    'A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{30,}',
    'ya29\\.[A-Za-z0-9_-]{20,}',
    'npm_[A-Za-z0-9]{30,}',
    'pypi-[A-Za-z0-9_-]{30,}',
    'hf_[A-Za-z0-9]{20,}',
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
    'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}',
    'do[por]_v1_[a-f0-9]{20,}',
    '(?:gsk|xai|tvly|pplx|lin_api|figd|dapi)[_-][A-Za-z0-9]{20,}',
    'AGE-SECRET-KEY-1[A-Z0-9]{20,}',
  ].join('|')})|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----`,
  'g',
);

/** Every kind of key has at least this many characters without a space; most texts have no such word. */
const MAY_BE_KEY = /[^\s]{15}|-----BEGIN/;
const LONG_WORD = new RegExp(`(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{${SCRUB_LIMITS.keyCharsMin},}`, 'g');

/** A word for a secret and its value: `password: hunter2`. The value contains a digit or a sign, unlike ordinary words. */
const NAMED_SECRET =
  /(?<![\p{L}?&#;/_-])(?:passwords?|passcode|passwort|kennwort|wachtwoord|mot de passe|token|api[ _-]?key|пароль|كلمة (?:السر|المرور))(?:\s?[:=]\s?|\s(?:is|was|ist|est)\s)["'«“]?(?=[^\s"'»”]{0,60}[\d_!#$%])[^\s"'»”<>]{6,200}/giu;

/** Finds secrets announced by a word. */
export function findNamedSecrets(text: string): Hit[] {
  return [...text.matchAll(NAMED_SECRET)].map(({ index, 0: match }) => ({
    rule: 'api_key',
    start: index,
    end: index + match.length,
  }));
}

/** Finds keys by known prefixes, and words that look generated. */
export function findApiKeys(text: string): Hit[] {
  const hits: Hit[] = [];
  if (!MAY_BE_KEY.test(text)) return hits;
  for (const { index, 0: match } of text.matchAll(API_KEY)) {
    hits.push({ rule: 'api_key', start: index, end: index + match.length });
  }
  const known = [...hits];
  let next = 0;
  for (const { index, 0: match } of text.matchAll(LONG_WORD)) {
    const end = index + match.length;
    while (next < known.length && (known[next] as Hit).end <= index) next++;
    const named = next < known.length && (known[next] as Hit).start < end;
    if (!named && looksGenerated(match) && decodeBase64(match) === undefined) {
      hits.push({ rule: 'api_key', start: index, end });
    }
  }
  return hits;
}

/** Mixed capitals, small letters and digits, as in no language; hashes and UUIDs have one case and pass. */
function looksGenerated(word: string): boolean {
  if (word.length > SCRUB_LIMITS.keyCharsMax) return false;
  if (!/\d/.test(word) || !/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false;
  let changes = 0;
  let before = '';
  const counts = new Map<string, number>();
  for (const char of word) {
    counts.set(char, (counts.get(char) ?? 0) + 1);
    const kind =
      char < ':' && char > '/' ? 'digit' : char >= 'a' ? 'small' : char >= 'A' && char <= 'Z' ? 'capital' : before;
    if (before !== '' && kind !== before) changes++;
    before = kind;
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits >= SCRUB_LIMITS.keyEntropyBitsMin && changes / (word.length - 1) >= SCRUB_LIMITS.keyClassChangesMin;
}
