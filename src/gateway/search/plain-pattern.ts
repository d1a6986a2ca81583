const PATTERN_CHARS_MAX = 256;

/**
 * Whether a regular expression can be run on foreign text without the danger of running away: it has no references back, and no
 * repeated group that itself repeats or chooses. The rest is linear or nearly so.
 */
export function isPlainPattern(pattern: string): boolean {
  if (pattern.length > PATTERN_CHARS_MAX) return false;
  const groups: { varies: boolean }[] = [];
  let closed: { varies: boolean } | undefined;
  let repeats = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') {
      if (/[1-9k]/.test(pattern[at + 1] ?? '')) return false;
      at += 1;
      closed = undefined;
    } else if (character === '[') {
      at = classEnd(pattern, at);
      closed = undefined;
    } else if (character === '(') {
      groups.push({ varies: false });
      closed = undefined;
    } else if (character === ')') {
      closed = groups.pop();
      const outer = groups.at(-1);
      if (outer && closed?.varies) outer.varies = true;
    } else if (character === '|') {
      const group = groups.at(-1);
      if (group) group.varies = true;
      closed = undefined;
    } else if (character === '*' || character === '+' || character === '{') {
      if (closed?.varies) return false;
      for (const group of groups) group.varies = true;
      if (character !== '{' || !/^\{\d+\}/.test(pattern.slice(at))) repeats += 1;
      if (repeats > REPEATS_MAX) return false;
      closed = undefined;
    } else closed = character === '?' ? closed : undefined;
  }
  return true;
}

/** Each unbounded repetition may multiply the work by the length of the text. */
const REPEATS_MAX = 3;

function classEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
