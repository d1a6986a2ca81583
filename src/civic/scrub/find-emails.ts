import type { Hit } from './find-identifiers.ts';
import { foldName, PLACES } from './names/places.ts';

const LOCAL = "[\\p{L}\\p{N}._%+'\\-]";
const LABEL = '[\\p{L}\\p{N}\\-]{1,63}';
const DOT_WORDS = '(?:dot|point|punt|punkt|крапка|точка|نقطة)';
const AT_WORDS = '(?:at|arobase|apenstaartje|apestaartje|klammeraffe|ät|собака|равлик)';
const DOT = `(?:\\.|\\s?[(\\[{]\\s?${DOT_WORDS}\\s?[)\\]}]\\s?)`;
/** Private mail providers: `kris at gmail.com` is an address, `the form at brussels.be` is not. */
const MAIL_HOSTS =
  'gmail|googlemail|hotmail|outlook|live|yahoo|icloud|me|proton|protonmail|gmx|web|skynet|telenet|proximus|orange|free|laposte|ukr|mail';
const AT = '(?:\\s?@\\s?|\\s?&(?:#64|#x40|commat);\\s?|\\s?[(\\[{<]\\s?(?:at|@|arobase|ät)\\s?[)\\]}>]\\s?)';

/** An address as typed, or with its signs spelled out in brackets or (both of them) in words. */
export const EMAIL = new RegExp(
  `(?<!${LOCAL})${LOCAL}+(?:${AT}${LABEL}(?:${DOT}${LABEL}){0,6}${DOT}\\p{L}{2,24}` +
    `|\\s${AT_WORDS}\\s(?:${MAIL_HOSTS})\\.\\p{L}{2,24}` +
    `|\\s?@\\s?${LABEL}(?:\\s?\\.\\s?${LABEL}){0,4}\\s?\\.\\s?\\p{L}{2,24}` +
    `|\\s${AT_WORDS}\\s(?!(?:that|this|which|some|what|any|the|one)\\s)${LABEL}(?:\\s${DOT_WORDS}\\s${LABEL}){0,4}\\s${DOT_WORDS}\\s\\p{L}{2,24})(?![\\p{L}\\p{N}])` +
    // `jan-AT-gmail-DOT-com`, `jan_at_gmail.com`.
    `|(?<![\\p{L}\\p{N}.%+'])[\\p{L}\\p{N}.%+']{1,64}[-_]${AT_WORDS}[-_](?:${MAIL_HOSTS})(?:\\.|[-_]${DOT_WORDS}[-_])\\p{L}{2,24}(?![\\p{L}\\p{N}])` +
    // `j a n @ g m a i l . c o m`.
    `|(?<![\\p{L}\\p{N}])(?:[\\p{L}\\p{N}._-] ){2,40}@(?: [\\p{L}\\p{N}-]){2,40} \\.(?: \\p{L}){2,10}(?![\\p{L}\\p{N}])`,
  'giu',
);

const SPELLED_AT = new RegExp(
  `&(?:#64|#x40|commat);|[\\s_-]${AT_WORDS}[\\s_-]\\p{L}{2,12}(?:\\.\\p{L}{2}|[\\s_-]${DOT_WORDS})|[([{<]\\s?(?:at|ät|arobase)\\s?[)\\]}>]|\\s${AT_WORDS}\\s\\S{1,63}\\s${DOT_WORDS}\\s`,
  'iu',
);

/** Domains of public bodies, whose mailboxes are public. */
const OFFICIAL_DOMAINS = [
  'fgov.be',
  'fed.be',
  'belgium.be',
  'vlaanderen.be',
  'wallonie.be',
  'brussels',
  'ostbelgien.eu',
  'europa.eu',
];

/** Finds e-mail addresses; official mailboxes are allowed in references [PV13]. */
export function findEmails(text: string, allowOfficial: boolean): Hit[] {
  if (!text.includes('@') && !SPELLED_AT.test(text)) return [];
  const hits: Hit[] = [];
  for (const match of text.matchAll(EMAIL)) {
    if (allowOfficial && isOfficial(match[0])) continue;
    hits.push({ rule: 'email', start: match.index, end: match.index + match[0].length });
  }
  return hits;
}

function isOfficial(address: string): boolean {
  const domain = address
    .slice(address.indexOf('@') + 1)
    .trim()
    .toLowerCase();
  if (OFFICIAL_DOMAINS.some((official) => domain === official || domain.endsWith(`.${official}`))) return true;
  const labels = domain.split('.');
  return labels.length === 2 && PLACES.has(foldName(labels[0] as string));
}
