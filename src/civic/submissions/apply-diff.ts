import { parsePatch, type StructuredPatch } from 'diff';

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly keyword: string; readonly message: string };

const EXPANDED_VALUE = /<VV\b([^<>]*?)\s*>[^<]*<\/VV>/g;
const CLOSED_VALUE = /<VV\b([^<>]*?)\s*\/>/g;

/**
 * Applies a unified diff to a skill's text. Line numbers and context must match exactly, and no line of the front matter may change [SU15].
 * Readers see values inside `<VV>` tags that the file does not contain, so tags are compared by their attributes only, and unchanged lines
 * are copied from the file.
 */
export function applyBodyDiff(text: string, diff: string): Edited {
  const patch = onePatch(diff);
  if (typeof patch === 'string') return refused(patch);
  const before = text.split('\n');
  const bodyStart = before.indexOf('---', 1);
  const after: string[] = [];
  let at = 0;
  for (const hunk of patch.hunks) {
    // A hunk without old lines names the line after which it inserts.
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (start < at || start > before.length) return refused('a hunk is out of order or beyond the end');
    after.push(...before.slice(at, start));
    at = start;
    for (const line of hunk.lines) {
      const content = line.slice(1);
      if (line[0] === '\\') continue;
      if (line[0] !== ' ' && at <= bodyStart) return refused('a hunk changes the front matter');
      if (line[0] === '+') {
        after.push(collapseValues(content));
        continue;
      }
      const old = before[at];
      if (old === undefined || collapseValues(old) !== collapseValues(content)) {
        return refused(`line ${at + 1} is not what the diff expects`);
      }
      if (line[0] === ' ') after.push(old);
      at++;
    }
  }
  after.push(...before.slice(at));
  return { ok: true, text: withFinalNewline(after.join('\n')) };
}

/** Turns `<VV …>value</VV>` into `<VV …/>`, as files have it. */
export function collapseValues(text: string): string {
  return text.replace(EXPANDED_VALUE, '<VV$1/>').replace(CLOSED_VALUE, '<VV$1/>');
}

function onePatch(diff: string): StructuredPatch | string {
  if (diff.includes('\r')) return 'the diff has other line ends than LF';
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(diff);
  } catch {
    return 'this is not a unified diff';
  }
  const [patch, ...others] = patches;
  if (!patch || others.length > 0) return 'the diff is not about exactly one file';
  if (patch.hunks.length === 0) return 'the diff has no hunk';
  const changes = patch.hunks.some((hunk) => hunk.lines.some((line) => line[0] === '+' || line[0] === '-'));
  return changes ? patch : 'the diff changes nothing';
}

function withFinalNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function refused(message: string): Edited {
  return { ok: false, keyword: 'diff', message };
}
