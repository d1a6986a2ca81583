const PATTERN_CHARS_MAX = 256;

/** What is known of a group: the whole pattern is one too. */
interface Group {
  varies: boolean;
  alternatives: number;
}

/**
 * Whether a regular expression can be run on foreign text without the danger of running away: it has no references back, no
 * repeated group that itself repeats or chooses, and few repetitions and choices in all. The rest is linear or nearly so.
 */
export function isPlainPattern(pattern: string): boolean {
  if (pattern.length > PATTERN_CHARS_MAX) return false;
  const groups: Group[] = [{ varies: false, alternatives: 1 }];
  let closed: Group | undefined;
  let work = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string;
    const before = closed;
    closed = undefined;
    if (character === '\\') {
      if (/[1-9k]/.test(pattern[at + 1] ?? '')) return false;
      at += 1;
    } else if (character === '[') at = classEnd(pattern, at);
    else if (character === '(') {
      groups.push({ varies: false, alternatives: 1 });
      // The mark behind it says the group's kind and repeats nothing.
      if (pattern[at + 1] === '?') at += 1;
    } else if (character === ')') {
      closed = groups.length > 1 ? groups.pop() : undefined;
      const outer = groups.at(-1);
      if (outer && closed?.varies) outer.varies = true;
      work += choiceWork(closed);
    } else if (character === '|') {
      const group = groups.at(-1) as Group;
      group.varies = true;
      group.alternatives += 1;
    } else if ('*+{?'.includes(character)) {
      if (before?.varies && character !== '?') return false;
      for (const group of groups) group.varies = true;
      const count = /^\{\d+(,\d*)?\}/.exec(pattern.slice(at));
      if (character === '?') work += OPTION_WORK;
      else if (!count || count[1] !== undefined) work += REPEAT_WORK;
      if (count) at += count[0].length - 1;
      // The mark behind it makes it lazy.
      if (pattern[at + 1] === '?') at += 1;
    }
  }
  const whole = groups[0] as Group;
  const isAnchored = pattern.startsWith('^') && whole.alternatives === 1;
  return work + choiceWork(whole) + (isAnchored ? 0 : REPEAT_WORK) <= WORK_MAX;
}

/**
 * A part that may be absent doubles the ways to read a text, a choice multiplies them by its alternatives, and a repetition
 * by the text's length, as does a pattern that may begin anywhere: here they count as powers of two, a repetition for less,
 * since repetitions share the text.
 */
const OPTION_WORK = 1;
const REPEAT_WORK = 4;
const WORK_MAX = 3 * REPEAT_WORK;

function choiceWork(group: Group | undefined): number {
  return 32 - Math.clz32((group?.alternatives ?? 1) - 1);
}

function classEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
