import { parseAddress } from '../../contract/ip-address.ts';
import { notPublicAddress } from '../../contract/public-address.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { StepBudget } from '../schema/steps.ts';
import { signedWords } from './signed-words.ts';

const WORDS = { separator: /[\s<>"'`(){},;=|]/, sign: /[.:0]|[^\u0000-\u007f]/ };
const SEPARATOR_DOTS = /[\u3002\uff0e\uff61]/g;

/**
 * The words of a text that a program would dial although they are neither URL nor domain: IPv4 addresses in every spelling that
 * `inet_aton` accepts, IPv6 addresses with or without brackets, and a name with a port. `127.1` and `metadata:80` are such words;
 * integers, times, versions and decimal numbers are not. Yields hosts, with the port if there is one. Throws `NotJudged` if
 * the budget is used up.
 */
export function* addressLiterals(text: string, budget: StepBudget): Generator<string> {
  const { words, isAlone } = signedWords(text, WORDS, budget);
  for (const word of words) {
    // No resolver accepts a longer name.
    if (word.length > GATEWAY_LIMITS.urlCharsMax || !mayBeAddress(word)) continue;
    budget.spend(LITERAL_STEPS + (word.length >> 4));
    const [authority = ''] = word.slice(word.lastIndexOf('@') + 1).split(/[/\\?#]/, 1);
    const literal = literalOf(authority, isAlone);
    if (literal !== undefined) yield literal;
  }
}

/** What reading one word as an address costs. */
const LITERAL_STEPS = 4;

/** A cheap test, because a text may have a million words. */
function mayBeAddress(word: string): boolean {
  return word.includes('.') || word.includes(':') || word.startsWith('0') || /[^\u0000-\u007f]/.test(word);
}

function literalOf(authority: string, isAlone: boolean): string | undefined {
  // Resolvers normalize full-width characters and other dots.
  const folded = authority.normalize('NFKC').replaceAll(SEPARATOR_DOTS, '.').toLowerCase();
  if (isIpv6(folded) && (isAlone || folded !== '::')) return `[${folded.replace(/%.*$/, '')}]`;
  // Ignore trailing punctuation and the dot of the DNS root.
  const plain = folded.replace(/[.:!?\]]$/, '');
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(folded.endsWith(']') ? folded : plain) ?? [];
  const isPort = port !== undefined && Number(port) > 0 && Number(port) <= 65_535;
  if (/^\[.*\]$/.test(host)) return isIpv6(host.slice(1, -1)) ? authority : undefined;
  const hasPort = isPort && !/^\d+$/.test(host);
  if (hasPort && /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u.test(host)) return authority;
  return isIpv4(host, isAlone) ? authority : undefined;
}

/** Eight groups, or fewer with `::`; an IPv4 address at the end replaces two groups. */
function isIpv6(text: string): boolean {
  const isShaped = /^[0-9a-f:.]+(?:%.*)?$/.test(text) && (text.includes('::') || text.split(':').length >= 7);
  return isShaped && parseAddress(text) !== undefined;
}

const PART = '(?:0x[0-9a-f]*|[0-9]+)';
const IPV4 = new RegExp(`^${PART}(?:\\.${PART}){0,3}$`);

/** Whether `inet_aton` reads the text as an address, and people would not write a number or a version that way. */
function isIpv4(host: string, isAlone: boolean): boolean {
  if (!IPV4.test(host)) return false;
  const parts = host.split('.');
  const value = ipv4Value(parts);
  if (value === undefined) return false;
  const isOdd = parts.some((part) => /^0[0-9x]/.test(part));
  if (parts.length === 4) return true;
  // `007` is a number; addresses in this form have more significant digits.
  if (parts.length === 1) return isOdd && (value >= 2 ** 24 || host.startsWith('0x0'));
  if (isOdd) return true;
  return isAlone && isShortForm(value);
}

/** Forms such as `127.1` look like numbers and versions: only those of this machine or a network near it count, except 10.x. */
function isShortForm(value: number): boolean {
  const address = [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256);
  if (address[0] === 10) return false;
  return ['loopback', 'private', 'link-local', 'shared by carriers'].includes(
    notPublicAddress(address.join('.')) ?? '',
  );
}

/** The address as a number: the last part fills the remaining bytes. Undefined if a part is too large. */
function ipv4Value(parts: readonly string[]): number | undefined {
  const numbers = parts.map((part) => {
    if (part.startsWith('0x')) return Number.parseInt(part.slice(2) || '0', 16);
    return /^0[0-7]+$/.test(part) ? Number.parseInt(part, 8) : Number(part);
  });
  const last = numbers.pop() as number;
  const room = 4 - numbers.length;
  if (numbers.some((number) => number > 255) || last >= 256 ** room) return undefined;
  return numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), 0) + last;
}
