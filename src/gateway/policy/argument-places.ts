import { GATEWAY_LIMITS } from '../limits.ts';
import type { StepBudget } from '../schema/steps.ts';
import { addressLiterals } from './address-literals.ts';
import { type ArgumentString, argumentStrings, isAtPlace, type NamedPlace, pointerOf } from './argument-strings.ts';
import { embeddedPaths, type PathReading, pathReadings } from './path-readings.ts';
import type { AllowedDomains, AllowedRoots } from './policy-document.ts';
import {
  asUrl,
  bareAddresses,
  bareHosts,
  embeddedUrls,
  type HostReadings,
  isAllowedHost,
  isFileUrl,
  isLongerText,
  urlHosts,
} from './url-readings.ts';

/** The file system as a server's programs see it. */
export interface ArgumentFiles {
  /** The folder that relative paths start from, or why it is unknown. */
  readonly cwd: string | { readonly unknown: string };
  /** The folder that `~` expands to. */
  readonly home: string;
  /** The absolute path of a policy root, with links resolved; undefined if it does not exist. */
  root(written: string): string | undefined;
  /** Every path that a program may reach when it opens an absolute path, with links resolved; undefined if none can open it. */
  open(path: string): readonly string[] | undefined;
  /** Whether an absolute path exists, even as a dangling link. */
  exists(path: string): boolean;
}

/** Why arguments are refused: which string, where it is, and how it was interpreted. */
export interface RefusedArgument {
  /** Where in the arguments; null if no single string is the cause. */
  readonly pointer: string | null;
  readonly value: string | null;
  /** The path or host that the string was interpreted as. */
  readonly read_as: string | null;
  /** The error without its subject: what is wrong, and what to write instead. Contains no path of this machine. */
  readonly why: string;
}

type Refusal = Pick<RefusedArgument, 'read_as' | 'why'>;

/** What a call's arguments are judged with. */
export interface JudgedArguments {
  readonly value: unknown;
  readonly files: ArgumentFiles;
  /** The remaining steps of the call. */
  readonly budget: StepBudget;
}

/** The first string that, in any interpretation, is a path outside of the roots. Throws `NotJudged` if the budget is used up. */
export function refusedPath(judged: JudgedArguments, rule: AllowedRoots): RefusedArgument | undefined {
  const places = { ...judged, roots: realRoots(rule, judged.files) };
  const judge = once((text: string) => refusedReading(text, places, rule.places !== undefined));
  for (const string of judgedStrings(judged, rule.places)) {
    if (!rule.places && string.kind === 'top' && !/[\\/~$%:`*?[{]|^\.|\.\./.test(string.text)) continue;
    for (const text of rule.places ? [string.text] : pathsOf(string.text)) {
      const refusal = judge(text);
      if (refusal) return refused(string, refusal, rule.places, PATHS_HINT);
    }
  }
  return undefined;
}

function* pathsOf(text: string): Generator<string> {
  yield text;
  yield* embeddedPaths(text);
}

/**
 * The first string that a program may read as a host outside of the domains, or as a file outside of the roots. Throws `NotJudged` if
 * the budget is used up.
 */
export function refusedUrl(
  judged: JudgedArguments,
  rule: AllowedDomains,
  roots: AllowedRoots | undefined,
): RefusedArgument | undefined {
  const judges = hostJudges(rule, roots, judged);
  for (const string of judgedStrings(judged, rule.places)) {
    judged.budget.spend(string.text.length >> SCANNED_CHARS_LOG);
    const refusal = rule.places ? refusedAddress(string.text, judges) : refusedIn(string, judges);
    if (refusal) return refused(string, refusal, rule.places, URLS_HINT);
  }
  return undefined;
}

/** Whether a resolved path is a resolved root or below it. The comparison is case-sensitive, also on file systems that ignore case. */
export function isBelow(path: string, root: string): boolean {
  const base = root.endsWith('/') ? root : `${root}/`;
  return path === root || path.startsWith(base);
}

const PATHS_HINT =
  'Without "path_arguments" every string is taken for a path; name those that are, such as "path_arguments": ["/path"]';
const URLS_HINT =
  'Without "url_arguments" every string is searched for addresses; name those that are, such as "url_arguments": ["/url"]';

/** A step scans 32 characters for the signs of addresses. */
const SCANNED_CHARS_LOG = 5;
/** What judging one word as a host costs, and one path on disk apart from its length. */
const HOST_STEPS = 8;
const OPEN_STEPS = 40;

function realRoots(rule: AllowedRoots | undefined, files: ArgumentFiles): string[] {
  return (rule?.roots ?? []).flatMap((root) => files.root(root) ?? []);
}

function* judgedStrings(
  { value, budget }: JudgedArguments,
  places: readonly NamedPlace[] | undefined,
): Generator<ArgumentString> {
  for (const string of argumentStrings(value)) {
    budget.spend(1);
    if (places ? isAtPlace(string, places) : string.kind !== 'number') yield string;
  }
}

function refused(
  string: ArgumentString,
  { read_as, why }: Refusal,
  places: readonly NamedPlace[] | undefined,
  hint: string,
): RefusedArgument {
  return { pointer: pointerOf(string), value: string.text, read_as, why: places ? why : `${why}. ${hint}` };
}

/** Judges each distinct text once, and limits their number, because each may need disk access. */
function once(judge: Judge): Judge {
  const judged = new Set<string>();
  return (text) => {
    if (judged.has(text)) return undefined;
    if (judged.size === GATEWAY_LIMITS.judgedTextsMax)
      return { read_as: null, why: `is one of more than ${judged.size} texts that would have to be judged` };
    judged.add(text);
    return judge(text);
  };
}

interface PathPlaces extends Pick<JudgedArguments, 'files' | 'budget'> {
  /** Absolute, with links resolved. */
  readonly roots: readonly string[];
}

function refusedReading(text: string, places: PathPlaces, isNamed: boolean): Refusal | undefined {
  const read = pathReadings(text, places.files.home, places.budget);
  if (read.refused !== undefined) return { read_as: null, why: read.refused };
  if (read.isUrl && isNamed) return { read_as: null, why: 'is a URL, and no path' };
  for (const reading of read.readings) {
    const refusal = refusedPlace(reading, places);
    if (refusal) return refusal;
  }
  return undefined;
}

function refusedPlace(reading: PathReading, { roots, files, budget }: PathPlaces): Refusal | undefined {
  const { cwd } = files;
  let { path } = reading;
  if (!isAbsolute(path)) {
    if (typeof cwd !== 'string') return reading.isOdd ? undefined : { read_as: path, why: cwd.unknown };
    if (reading.isOdd && !isThere(path, cwd, files)) return undefined;
    path = `${cwd}/${path}`;
  }
  budget.spend(OPEN_STEPS + (path.length >> 1));
  const places = files.open(path);
  if (!places) return { read_as: path, why: 'is a path that no program can open' };
  const outside = places.find((place) => !roots.some((root) => isBelow(place, root)));
  return outside === undefined ? undefined : { read_as: outside, why: 'is outside of the allowed roots' };
}

function isAbsolute(path: string): boolean {
  return /^[\\/]|^[A-Za-z]:[\\/]/.test(path);
}

/**
 * A program that does not know a prefix such as `file:` reads it as a folder. That matters if such a folder exists, or if `..` leaves
 * it.
 */
function isThere(path: string, cwd: string, files: ArgumentFiles): boolean {
  const [first = '', ...rest] = path.split('/');
  let depth = 0;
  for (const name of rest) {
    if (name === '..') depth -= 1;
    else if (name !== '' && name !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return files.exists(`${cwd}/${first}`);
}

type Judge = (text: string) => Refusal | undefined;

interface HostJudges {
  readonly url: Judge;
  readonly bare: Judge;
  readonly address: Judge;
  readonly file: Judge;
  readonly budget: StepBudget;
  /** If paths are judged too, a name without a scheme is a path. */
  readonly hasRoots: boolean;
}

function hostJudges(
  { domains }: AllowedDomains,
  roots: AllowedRoots | undefined,
  { files, budget }: JudgedArguments,
): HostJudges {
  const by = (read: (text: string) => HostReadings): Judge => {
    const judge = once((text: string) => refusedHost(read(text), domains));
    return (text) => {
      budget.spend(HOST_STEPS + (text.length >> SCANNED_CHARS_LOG));
      return judge(text);
    };
  };
  const places = { files, budget, roots: realRoots(roots, files) };
  return {
    url: by(urlHosts),
    bare: by(bareHosts),
    address: by((text) => urlHosts(text) ?? bareHosts(text)),
    file: once((text: string) => (roots ? refusedReading(text, places, true) : NAMES_FILE)),
    hasRoots: roots !== undefined,
    budget,
  };
}

const NAMES_FILE: Refusal = { read_as: null, why: 'names a file, and only domains are allowed' };

function refusedHost(found: HostReadings, domains: readonly string[]): Refusal | undefined {
  if (!found) return undefined;
  if ('refused' in found) return { read_as: null, why: found.refused };
  const other = found.hosts.find((host) => !isAllowedHost(host, domains));
  return other === undefined
    ? undefined
    : { read_as: other, why: 'names a host that is not one of the allowed domains' };
}

/** An argument that is an address: a URL, a host with or without a path, or a reference relative to the server's own address. */
function refusedAddress(text: string, judges: HostJudges): Refusal | undefined {
  if (isFileUrl(text)) return judges.file(text);
  const isReference = /^(?:$|[?#]|\.{0,2}[\\/](?![\\/])|\.{1,2}$)/.test(asUrl(text));
  return isReference ? undefined : judges.address(text);
}

/** Judges any string: the whole, the URLs in it, and words to which programs would add a scheme. */
function refusedIn({ text, kind }: ArgumentString, judges: HostJudges): Refusal | undefined {
  const { budget } = judges;
  for (const url of urlsOf(text)) {
    const refusal = isFileUrl(url) ? judges.file(url) : judges.url(url);
    if (refusal) return refusal;
  }
  // Tools choose the names of members, so only full URLs count there.
  if (kind !== 'value') return undefined;
  for (const address of judges.hasRoots ? addressLiterals(text, budget) : dialledIn(text, budget)) {
    const refusal = judges.bare(address);
    if (refusal) return refusal;
  }
  return undefined;
}

function* dialledIn(text: string, budget: StepBudget): Generator<string> {
  yield* bareAddresses(text, budget);
  yield* addressLiterals(text, budget);
}

function* urlsOf(text: string): Generator<string> {
  if (!isLongerText(text)) yield text;
  yield* embeddedUrls(text);
}
