import { decodeBase64, decodeHex } from '../scrub/decode-urls.ts';
import { EMAIL } from '../scrub/find-emails.ts';
import { findPhones } from '../scrub/find-phones.ts';
import { isVersionBefore } from '../scrub/find-traces.ts';
import { foldDigits } from '../scrub/look-alikes.ts';
import { normaliseText } from '../scrub/normalise-text.ts';

/** Links, hosts and contacts in a text. */
export interface Mentions {
  /** Links as written, with repetitions. */
  readonly links: readonly string[];
  /** Hosts of links, and host names without a scheme. */
  readonly hosts: ReadonlySet<string>;
  /** Phone numbers and e-mail addresses, without separators. */
  readonly contacts: ReadonlySet<string>;
}

const LINK = /(?<![a-z0-9])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]{1,2000}/gi;
/** Any sign may stand before and after a host: `_`, `-`, `/` and a dot do not keep a reader from following it. */
const BARE_HOST =
  /(?<![\p{L}\p{N}]|[)\]]\.)(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?\.){1,6}(?:xn--[a-z0-9-]{1,59}|\p{L}{2,24})(?![\p{L}\p{N}])/giu;
/** Low lines that emphasise one label, as in `_evil_.com`: a page does not show them. */
const LABEL_MARK = /(?<=[\p{L}\p{N}])_{1,3}(?=\.[\p{L}\p{N}])|(?<=[\p{L}\p{N}]\.)_{1,3}(?=\p{L})/gu;
/** A spelled-out dot in brackets: people follow it, programs do not. */
const SPELLED_POINT = /\s?[([{]\s?(?:\.|dot|point|punt|punkt)\s?[)\]}]\s?/gi;
/** A dot between two spaces, and the ideographic full stop, which programs accept as a dot. */
const ODD_POINT = /(?<=[\p{L}\p{N}]) \. ?(?=\p{Ll})|\u3002/gu;
/** Top-level domains that are no words in any of the languages; the second list adds those that are. */
const PLAIN_ENDS = 'com|net|org|biz|xyz|io|eu|be|fr|nl|lu|ch|uk|pl|ua|ru|tk|cc|tv';
const ENDS = `${PLAIN_ENDS}|info|online|site|website|shop|store|top|click|link|live|app|dev|co|me|de|at|it|es|support|help|zip|brussels|vlaanderen|gent|كوم|نت|أورغ|اورغ|ком|орг|укр|юа|бе|інфо`;
/** Two-letter words, which are not top-level domains in a sentence. */
const SHORT_WORDS =
  'am|an|as|at|au|by|da|do|du|en|er|es|et|go|he|if|im|in|is|it|ja|le|la|me|my|no|ob|of|on|op|or|so|te|to|uf|um|un|up|us|we|zu';
const GAP = '(?:,? |[_-])';
/** A dot in words: `evil dot com`. `Point` and `punt` are ordinary words too, so fewer top-level domains count after them. */
const WORD_POINT = new RegExp(
  `(?<=[\\p{L}\\p{N}]{2})${GAP}(?:(?:dot|punkt|крапка|точка|نقطة|دوت)${GAP}(?=(?:${ENDS}|(?!(?:${SHORT_WORDS})(?![a-z]))[a-z]{2})(?![\\p{L}\\p{N}]))|(?<!(?<!\\p{L})(?:that|this|which|some|what|any|each|dat|dit|elk|een|het|ce|un|le|au) )(?:point|punt)${GAP}(?=(?:${PLAIN_ENDS})(?![\\p{L}\\p{N}])))`,
  'giu',
);
/** A host without its dot, before a slash in words: `bit ly slash x`. */
const SLASHED_POINT = new RegExp(
  `(?<=[\\p{L}\\p{N}]{2}) (?=(?:${ENDS}|ly|gl|gg) (?:slash|barre oblique|schuine streep|schrägstrich|слеш|слэш|скісна риска|коса риска|شرطة مائلة|سلاش)(?!\\p{L}))`,
  'giu',
);
/** Another character instead of the dot: `evil·com`, `evil,com`, `evil. com`. */
const SIGN_POINT = new RegExp(
  `(?<=[\\p{L}\\p{N}]{2})(?:,|\\.\\s{0,20})(?=(?:com|net|org|info|biz|xyz|io)(?![\\p{L}\\p{N}]))|(?<=[\\p{L}\\p{N}]{2})\\.[ \\t]{0,5}\\r?\\n\\s{0,20}(?=(?:${PLAIN_ENDS})(?![\\p{L}\\p{N}]))|(?<=[\\p{L}\\p{N}]{2}) \\u0307 ?(?=(?:${ENDS})(?![\\p{L}\\p{N}]))|(?<=[\\p{L}\\p{N}]{2}) ?[\\p{So}\\u00b7\\u2022\\u2024\\u2027\\u2219\\u22c5\\u25cf\\u30fb] ?(?=(?:${ENDS})(?![\\p{L}\\p{N}]))`,
  'gu',
);
/** Spaced-out letters with a dot: `e v i l . c o m`. */
const SPACED_HOST = /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}] ){2,40}\.(?: [\p{L}\p{N}.]){2,20}(?![\p{L}\p{N}])/gu;
/** A word that may be base64. */
const BASE64_WORD = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{10,2000}={0,2}(?![A-Za-z0-9+/_=-])/g;
const DECODED_HOST = new RegExp(`://|^[a-z0-9.-]{1,200}\\.(?:${ENDS})(?![a-z0-9])`, 'i');
/** Line ends that only some programs know. */
const ODD_LINE_END = /[\u0085\u2028\u2029]/g;
/** Programs accept any number of slashes after a scheme. */
const LOOSE_SCHEME = /(?<![a-z0-9])(https?|ftp):[\\/]{1,10}(?=[\p{L}\p{N}[])/giu;
/** Link text without its target: it is read together with the surrounding words. */
const LINK_SYNTAX = /!?\[([^[\]\n]{0,200})\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,200}\])/g;
const IPV4 =
  /(?<![\p{L}\p{N}.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\p{N}.]\d|\p{L})/gu;
/** A top-level domain on its own, as in `"evil" followed by ".com"`: the reader is meant to assemble the host. */
const NAKED_END =
  /(?<![\p{L}\p{N}.])\.(?:com|net|org|info|biz|xyz|io|eu|be|fr|nl|de|ua|ru)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}.@/_-])com(?![\p{L}\p{N}])/gu;
/** A top-level domain with digits for letters, as in `evil.c0m`. */
const DIGIT_END = /(?<=[\p{L}\p{N}]{2}\.)(?:c0m|n3t|0rg|inf0|1nfo|b1z)(?![\p{L}\p{N}])/giu;
/** An Arabic zero, which looks like a dot. */
const ZERO_POINT = new RegExp(`(?<=[a-z]{2})[\\u0660\\u06f0](?=(?:${ENDS})(?![\\p{L}\\p{N}]))`, 'giu');
/** A host with a path, without a scheme: readers follow it like a link. */
const BARE_LINK =
  /(?<![\p{L}\p{N}._@/:-])(?:[\p{L}\p{N}-]{1,63}\.){0,5}[\p{L}\p{N}-]{2,63}\.\p{L}{2,24}\/[^\s<>"'`)\]}]{1,500}/giu;
/** Machine forms of a host: a bracketed IPv6 address, a hexadecimal one, a number with a path, a name with a port. */
const MACHINE_HOSTS: readonly RegExp[] = [
  /\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\]/giu,
  /(?<![\p{L}\p{N}.])0x[0-9a-f]{1,8}(?:\.(?:0x[0-9a-f]{1,8}|\d{1,10})){0,3}(?![\p{L}\p{N}])/giu,
  /(?<![\p{L}\p{N}.,/:-])\d{8,10}(?=\/\p{L})/gu,
  /(?<![\p{L}\p{N}.@])(?:localhost(?::\d{1,5})?|[a-z][a-z0-9-]{1,62}:\d{2,5}(?=\/))(?![\p{L}\p{N}])/giu,
];
/** A word with percent escapes. */
const ESCAPED_WORD = /[^\s%]{0,200}(?:%[0-7][0-9a-f][^\s%]{0,60}){1,60}/gi;
/** A link that calls, writes or pays. */
const CONTACT_LINK =
  /(?<![a-z0-9])(?:tel|callto|sms|smsto|mailto|whatsapp|viber|skype|facetime|xmpp|sips?|tg|bitcoin|ethereum|intent|market):[^\s<>"')\]]{1,200}/gi;
/** Messengers and chats outside the offices. */
const MESSENGER =
  /(?<![\p{L}\p{N}])(?:whats ?app|telegram|viber|wechat|skype|discord|snapchat|tiktok|instagram|facebook|messenger|(?:on|via|op|auf|sur|par|per) signal)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}@./])@[a-z0-9_]{3,40}/giu;
/** A short number that readers are told to call. */
const SHORT_NUMBER =
  /(?<!\p{L})(?:call|dial|phone|ring|text|appelez|appeler|composez|téléphonez|bel|bellen|belt|ruf(?:en|t)?|wähl(?:en|e|t)?|телефонуй(?:те)?|дзвоніть|зателефонуйте|اتصل(?:وا|ي)?)(?!\p{L})[^.\n]{0,20}?(?<!\d)(\d{3,6})(?!\d)/giu;
/** A scheme-relative link. */
const OWN_SCHEME = /(?<![\p{L}\p{N}:/._-])\/\/(?=[\p{L}\p{N}])/gu;
/** File extensions, and abbreviations written without a space. */
const NO_DOMAIN = new Set(
  'pdf yaml yml html htm php asp aspx jsp css doc docx xls xlsx ppt pptx csv txt rtf png jpg jpeg gif svg webp json xml odt ics'.split(
    ' ',
  ),
);
/** File names whose extension is also a top-level domain. */
const FILE_NAME = /^(?:readme|changelog|license|contributing|skill|canonical|index|notes|forms?|files?)\.(?:md|zip)$/i;

/** Finds links, hosts and contacts in a text. */
export function findMentions(source: string): Mentions {
  const text = normaliseText(source.replace(ZERO_POINT, '.'))
    .text.replace(ODD_LINE_END, '')
    .replace(SPACED_HOST, (letters) => letters.replaceAll(' ', ''))
    .replace(LABEL_MARK, '')
    .replace(SPELLED_POINT, '.')
    .replace(ODD_POINT, '.')
    .replace(WORD_POINT, '.')
    .replace(SIGN_POINT, '.')
    .replace(SLASHED_POINT, '.')
    .replace(DIGIT_END, (end) => end.replaceAll('0', 'o').replaceAll('1', 'i').replaceAll('3', 'e'))
    .replace(LOOSE_SCHEME, '$1://')
    .replace(OWN_SCHEME, 'https://');
  const links = [...text.matchAll(LINK)].map(([link]) => link.replace(/[.,;:!?]+$/, ''));
  const hosts = new Set<string>();
  for (const link of links) for (const host of hostsOf(link)) hosts.add(host);
  const words = text.replace(LINK_SYNTAX, '$1');
  addBareHosts(text, hosts);
  if (words !== text) addBareHosts(words, hosts);
  addEncodedHosts(text, hosts);
  addOddHosts(words, hosts);
  links.push(...(text.replace(LINK, ' ').replace(EMAIL, ' ').match(BARE_LINK) ?? []));
  return { links, hosts, contacts: findContacts(words === text ? text : `${text}\n${words}`) };
}

/** The host of a link, and the hosts of links in its path, query or fragment. */
function hostsOf(link: string): string[] {
  // The marks of emphasis may follow a host without a path.
  const hosts = [hostOf(link.replace(/[_~*]+$/, '')) ?? link];
  // Behind the host: path, query and fragment.
  let carried = link.replace(/^[^/\\?#]*[\\/]{2}[^/\\?#]*/, '');
  for (let depth = 0; depth <= CARRIED_DEPTH_MAX; depth++) {
    for (const [, scheme, own, bare] of carried.matchAll(CARRIED)) {
      const host = hostOf(`https://${scheme ?? own ?? bare}`);
      if (host !== undefined) hosts.push(host);
    }
    if (!carried.includes('%')) break;
    carried = decodeLoosely(carried);
  }
  return hosts;
}

/** A host with a scheme, one after two slashes, or one that is the whole value of a member. */
const CARRIED = new RegExp(
  `(?:https?|ftp):[\\\\/]{0,10}([\\p{L}\\p{N}[][^\\s\\\\/?#&;,|]{1,250})|[\\\\/]{2}((?:[\\p{L}\\p{N}_-]{1,63}\\.){1,8}\\p{L}[\\p{L}\\p{N}-]{1,62})|(?<=[=#!|])((?:[\\p{L}\\p{N}_-]{1,63}\\.){1,8}(?:${PLAIN_ENDS}|info|online|site|shop|top|click|link|live|app|dev|co)(?![\\p{L}\\p{N}.-]))`,
  'giu',
);
const CARRIED_DEPTH_MAX = 3;

function decodeLoosely(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Hosts in base64 or hexadecimal digits. */
function addEncodedHosts(text: string, hosts: Set<string>): void {
  for (const [word] of text.matchAll(BASE64_WORD)) {
    const decoded = decodeHex(word) ?? decodeBase64(word) ?? '';
    if (!DECODED_HOST.test(decoded)) continue;
    for (const [link] of decoded.matchAll(LINK)) for (const host of hostsOf(link)) hosts.add(host);
    addBareHosts(decoded, hosts);
  }
}

/** Hosts outside of links that a person or a browser would assemble. */
function addOddHosts(text: string, hosts: Set<string>): void {
  const bare = text.replace(LINK, ' ').replace(EMAIL, ' ');
  if (bare.includes('%')) addBareHosts((bare.match(ESCAPED_WORD) ?? []).map(decodeLoosely).join('\n'), hosts);
  for (const [end] of bare.matchAll(NAKED_END)) hosts.add(end.startsWith('.') ? end : `.${end}`);
  for (const pattern of MACHINE_HOSTS) {
    for (const [name] of bare.matchAll(pattern)) hosts.add(hostOf(`http://${name}`) ?? name.toLowerCase());
  }
}

function addBareHosts(text: string, hosts: Set<string>): void {
  const bare = text.replace(LINK, ' ').replace(EMAIL, ' ');
  for (const { 0: address, index } of bare.matchAll(IPV4)) if (!isVersionBefore(bare, index)) hosts.add(address);
  for (const { 0: name, index } of bare.matchAll(BARE_HOST)) {
    const labels = name.toLowerCase().split('.');
    // One letter before the dot is an abbreviation, unless a path follows, as in `t.me/name`.
    const isShort = (labels.at(-2) as string).length === 1 && bare[index + name.length] !== '/';
    if (!NO_DOMAIN.has(labels.at(-1) as string) && !isShort && !FILE_NAME.test(name)) {
      hosts.add(hostOf(`https://${name}`) ?? name.toLowerCase());
    }
  }
}

function findContacts(text: string): Set<string> {
  const contacts = new Set<string>();
  // Adjacent table cells are read as one number.
  const digits = foldDigits(text).replace(/(?<=\d) ?\| ?(?=\d)/g, ' ');
  const { hits, allowed } = findPhones(digits, true);
  for (const { start, end } of [...hits, ...allowed]) contacts.add(digits.slice(start, end).replace(/[^\d+]/g, ''));
  for (const [link] of text.matchAll(CONTACT_LINK)) contacts.add(link.toLowerCase());
  for (const [name] of text.matchAll(MESSENGER)) contacts.add(name.toLowerCase());
  for (const [, number = ''] of text.matchAll(SHORT_NUMBER)) contacts.add(`short ${number}`);
  for (const [address] of text.matchAll(EMAIL)) contacts.add(address.replace(/\s/g, '').toLowerCase());
  return contacts;
}

/** The host of a link, with its port if it has one; undefined if no program would follow the link. */
export function hostOf(link: string): string | undefined {
  return URL.parse(link)?.host.toLowerCase() || undefined;
}
