import { GATEWAY_LIMITS } from '../limits.ts';
import type { StepBudget } from '../schema/steps.ts';
import { cutBlanks, cutEnd } from './cut-ends.ts';

/** One interpretation of a text as a path. */
export interface PathReading {
  readonly path: string;
  /** The literal text, whose prefix means something else to most programs: it counts only if a folder of that name exists. */
  readonly isOdd?: true;
}

/** All interpretations, or why the path cannot be resolved. A URL is not a path. */
export type PathReadings =
  | { readonly readings: readonly PathReading[]; readonly isUrl: boolean; readonly refused?: undefined }
  | { readonly refused: string };

/** Variables that shells, Python's `expandvars`, Go's `ExpandEnv` and Windows expand. `%C3%` is the beginning of an encoded letter. */
const VARIABLE = /\$[\w{(*#$@!?'"[-]|%(?![A-Fa-f][\dA-Fa-f]%[\dA-Fa-f]{2})[A-Za-z_]\w*(?::[^%]*)?%|![A-Za-z_]\w*!/;
/** Syntax that shells and globs expand: commands, patterns, brace lists. The result may be any path, also through a link. */
const EXPANDED = /[`*?[\]{}]|[<>@+!]\(/;
const FILE_URL = /^file:/i;
const OTHER_URL = /^[A-Za-z][A-Za-z0-9+-]+:[\\/]{2}/;
/** A first segment that programs know as something other than a folder. */
const ODD_START = /^(?:~|[A-Za-z][A-Za-z0-9+-]*:)(?:[\\/]|$)/;
const DRIVE = /^\/?[A-Za-z]:[\\/]/;

/** Every interpretation of a text as a path: all of them must be allowed. Throws `NotJudged` if the budget is used up. */
export function pathReadings(text: string, home: string, budget: StepBudget): PathReadings {
  if (text.length > GATEWAY_LIMITS.pathCharsMax) return { refused: 'is too long for a path' };
  const readings = new Map<string, PathReading>();
  const decoder = new PercentDecoder(budget);
  const texts = decoder.decodings(new Set([text, cutBlanks(text)]));
  if (texts === undefined) return { refused: 'is percent-encoded too often' };
  let isUrl = false;
  for (const form of new Set(texts.flatMap((one) => [one, withSlashes(one), asWindowsReads(one)]))) {
    budget.spend(stepsOf(form));
    if (form.includes('\0')) return { refused: 'holds a NUL character' };
    if (VARIABLE.test(form)) return { refused: 'holds a variable, whose value is not known here' };
    const url = cutBlanks(form.replaceAll(/[\t\n\r]/g, ''));
    if (/^~[^\\/]/.test(form)) return { refused: 'names the home of another person' };
    const paths = FILE_URL.test(url) ? fileUrlPaths(url, decoder) : specialPaths(form, home);
    if (paths === undefined) return { refused: 'names a file of another machine' };
    const isOther = OTHER_URL.test(form) && !FILE_URL.test(url);
    isUrl ||= isOther;
    if ((!isOther || paths.length > 0) && EXPANDED.test(form))
      return { refused: 'holds a pattern or a command that shells expand, and what comes of it is not known here' };
    for (const path of paths) readings.set(path, { path });
    if (paths.length === 0 && !isOther) readings.set(form, { path: form });
    else if (!readings.has(form))
      readings.set(form, ODD_START.test(form) ? { path: form, isOdd: true } : { path: form });
  }
  return { readings: [...readings.values()], isUrl };
}

/** Interpretations that do not start from the working directory. */
function specialPaths(form: string, home: string): string[] {
  if (/^~(?:[\\/]|$)/.test(form)) return [home + form.slice(1)];
  if (DRIVE.test(form)) return [form.replace(/^\//, ''), ...(form.startsWith('/') ? [form] : [])];
  // Without a host, programs that know the scheme read the rest as a file: sqlite:///etc/x.db
  const hostless = OTHER_URL.exec(form);
  return hostless && /^[\\/]/.test(form.slice(hostless[0].length)) ? [form.slice(hostless[0].length)] : [];
}

/** The paths that URL parsers find in a file URL; undefined if it names another machine. */
function fileUrlPaths(url: string, decoder: PercentDecoder): string[] | undefined {
  const rest = url.slice('file:'.length);
  const [, authority = '', afterAuthority = ''] = /^[\\/]{2}([^\\/?#]*)(.*)$/s.exec(rest) ?? [];
  if (!['', 'localhost'].includes(authority.toLowerCase()) && !DRIVE.test(`${authority}/`)) return undefined;
  const seen = URL.canParse(url) ? new URL(url) : undefined;
  if (seen && !['', 'localhost'].includes(seen.hostname)) return undefined;
  const written = authority === '' ? [rest, afterAuthority] : [afterAuthority];
  const paths = [...written, ...(seen ? [seen.pathname] : [])].filter((path) => path !== '');
  const rooted = paths.map((path) => path.replace(/^[\\/]*/, '/'));
  const whole = new Set([...paths, ...rooted]);
  const plain = new Set([...whole].flatMap((path) => [path, path.replace(/[?#].*$/s, '')]));
  plain.delete('');
  return [...plain].flatMap((path) => [
    ...(decoder.decodings([path]) ?? []),
    ...(DRIVE.test(path) ? [path.replace(/^\//, '')] : []),
  ]);
}

/** What reading a text once costs, apart from its length. */
const READ_STEPS = 8;

function stepsOf(text: string): number {
  return READ_STEPS + (text.length >> 2);
}

/** Decodes each text once, because the forms of one path share most of their decodings. */
class PercentDecoder {
  readonly #budget: StepBudget;
  readonly #decoded = new Map<string, string>();

  constructor(budget: StepBudget) {
    this.#budget = budget;
  }

  /** The texts and all their percent-decodings; undefined if a text decodes too many times. */
  decodings(texts: Iterable<string>): string[] | undefined {
    const all = new Set<string>();
    for (const text of texts) {
      all.add(text);
      let last = text;
      for (let times = 0; ; times += 1) {
        const decoded = this.#decode(last);
        if (decoded === last) break;
        if (times === GATEWAY_LIMITS.percentDecodingsMax) return undefined;
        all.add(decoded);
        last = decoded;
      }
    }
    return [...all];
  }

  #decode(text: string): string {
    if (!text.includes('%')) return text;
    const known = this.#decoded.get(text);
    if (known !== undefined) return known;
    this.#budget.spend(stepsOf(text));
    const decoded = percentDecoded(text);
    this.#decoded.set(text, decoded);
    return decoded;
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}

function withSlashes(text: string): string {
  return text.includes('\\') ? text.replaceAll('\\', '/') : text;
}

/** Windows accepts both separators, and drops trailing blanks and dots of each name. */
function asWindowsReads(text: string): string {
  const slashed = withSlashes(text);
  if (!/[. ](?:\/|$)/.test(slashed)) return slashed;
  return slashed
    .split('/')
    .map((name) => {
      const cut = cutEnd(name, (character) => character === '.' || character === ' ');
      return cut === '' ? name.replaceAll(' ', '').slice(0, 2) : cut;
    })
    .join('/');
}

/** Separators of paths in a longer text. */
const CUTS = /[\s"'`<>|;]+/;
/** A path that begins within a word: after an option, in a list, in the target of a copy command. */
const BEGINNING = /[=:,([{@](?=[\\/]|~[\\/]|\.\.?[\\/]|[A-Za-z]:[\\/]|file:)/gi;

/** The paths in a longer text, possibly repeated; extracted lazily. */
export function* embeddedPaths(text: string): Generator<string> {
  const words = text.split(CUTS);
  for (const word of words) {
    if (words.length > 1 && /[\\/]|^~|^\.\.$/.test(word)) yield word;
    for (const { index } of word.matchAll(BEGINNING)) {
      const isAuthority = /[A-Za-z0-9+.-]:\/\/[^\\/]/.test(word.slice(Math.max(0, index - 1), index + 4));
      if (!isAuthority) yield word.slice(index + 1);
    }
  }
}
