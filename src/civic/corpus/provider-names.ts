/** The first name of the provider directory that a text contains; undefined where it has none. */
export type NameMatcher = (text: string) => string | undefined;

export const noNames: NameMatcher = () => undefined;

/** A name as one looks for it. */
export interface ProviderName {
  readonly name: string;
  /** Hosts of the provider, whose links name it too. */
  readonly hosts?: readonly string[];
}

/** Shorter names are looked for as they are written: without their spaces they would stand inside other words. */
const JOINED_CHARS_MIN = 6;

/**
 * Matches whole words, whatever their case, width, emphasis, accents or look-alike letters, with other separators between
 * their parts or none, and links to the hosts of a provider.
 */
export function matchNames(names: readonly (string | ProviderName)[]): NameMatcher {
  const folded = new Map<string, string>();
  const hosts = new Map<string, string>();
  for (const given of names) {
    const { name, hosts: own = [] } = typeof given === 'string' ? { name: given } : given;
    const key = fold(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
    if (key !== '') folded.set(key, name);
    for (const host of own) hosts.set(host.toLowerCase(), name);
  }
  if (folded.size === 0) return noNames;
  const alternatives = [...folded].sort(([a], [b]) => b.length - a.length).map(([key, name]) => alternative(key, name));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => {
    const found = pattern.exec(fold(text))?.[0];
    if (found !== undefined) return folded.get(found.replaceAll(/[^\p{L}\p{N}]+/gu, ''));
    return hosts.size === 0 ? undefined : hostIn(text, hosts);
  };
}

/** The letters of a name with at most two signs that are none between any of them; short names only between their words. */
function alternative(key: string, name: string): string {
  if (key.length >= JOINED_CHARS_MIN) return [...key].join('[^\\p{L}\\p{N}]{0,2}');
  return fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .join('[^\\p{L}\\p{N}]{1,3}');
}

/** Hosts as they stand in links and in text: each with all that it is below. */
function hostIn(text: string, hosts: ReadonlyMap<string, string>): string | undefined {
  for (const [host] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu)) {
    const labels = host.split('.');
    for (let from = 0; from < labels.length - 1; from++) {
      const name = hosts.get(labels.slice(from).join('.'));
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Letters of other scripts, and digits, that look like Latin ones. */
const LOOK_ALIKES = new Map(
  [...'аaеeоoрpсcхxуyіiјjѕsԁdһhкkмmтtвbнhοoαaεeιiκkνvρpτtυuχx0o1l3e4a5s'].reduce<[string, string][]>(
    (pairs, letter, at, all) => {
      if (at % 2 === 0) pairs.push([letter, all[at + 1] as string]);
      return pairs;
    },
    [],
  ),
);

/** Upper case first: it is what makes `ß` two letters and `ς` the same letter as `σ` [V5]. */
function fold(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}*_`~]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/\s+/g, ' ');
  return Array.from(plain, (letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
}
