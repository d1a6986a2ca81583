import type { SiteChange, SiteHistory } from './site-source.ts';

/** Where a commit names its submission: in our trailers, or in the branch that a keeper merged. */
const NAMED = /^(?:Submission|Reverts): (sub_[\w-]+)$|\bcivic\/(sub_[\w-]+)/gm;
/** What `git revert` writes. */
const REVERTED_COMMIT = /^This reverts commit ([0-9a-f]{40,64})/m;
/** Lines that the program writes into a file itself. */
const OWN_LINE = /^\s*(?:version|status):/;
/** Shorter lines are in many files. */
const LINE_CHARS_MIN = 8;
/** Replaces an erased line in the diff of another change. */
const REDACTED = '[redacted]';

/**
 * Removes the words and diffs of changes whose submission was erased, and of the commits that reverted them. Other changes of the file quote
 * the surrounding lines: there each erased line is redacted.
 */
export function hideErased(history: SiteHistory, erased: ReadonlySet<string>): SiteHistory {
  if (history === undefined || erased.size === 0) return history;
  const ids = erasedCommits(history, erased);
  if (ids.size === 0) return history;
  const lines = erasedLines(history.filter(({ id }) => ids.has(id)));
  return history.map((change) => (ids.has(change.id) ? emptied(change) : redacted(change, lines)));
}

function erasedCommits(history: readonly SiteChange[], erased: ReadonlySet<string>): ReadonlySet<string> {
  const ids = new Set<string>();
  // From the oldest: a revert comes after its commit.
  for (const { id, subject, body } of history.toReversed()) {
    const named = [...`${subject}\n${body}`.matchAll(NAMED)].map(([, trailer, branch]) => trailer ?? branch ?? '');
    if (named.some((one) => erased.has(one)) || ids.has(REVERTED_COMMIT.exec(body)?.[1] ?? '')) ids.add(id);
  }
  return ids;
}

/** The senders' own lines, by file: those that a merge added or its revert removed. */
function erasedLines(changes: readonly SiteChange[]): ReadonlyMap<string, ReadonlySet<string>> {
  const written = new Map<string, Set<string>>();
  const others = new Map<string, Set<string>>();
  for (const { body, files } of changes) {
    const isRevert = /^Reverts: /m.test(body) || REVERTED_COMMIT.test(body);
    for (const { path, diff } of files) {
      for (const line of diff.split('\n')) {
        if (!/^[+-]/.test(line)) continue;
        const lines = line.startsWith('+') !== isRevert ? written : others;
        lines.set(path, (lines.get(path) ?? new Set()).add(line.slice(1)));
      }
    }
  }
  const isOwn = (path: string, line: string) =>
    line.trim().length >= LINE_CHARS_MIN && !OWN_LINE.test(line) && !others.get(path)?.has(line);
  return new Map(
    [...written].map(([path, lines]) => [path, new Set([...lines].filter((line) => isOwn(path, line)))] as const),
  );
}

function emptied({ id, at, files }: SiteChange): SiteChange {
  return { id, at, subject: '', body: '', files: files.map(({ path }) => ({ path, diff: '' })), isErased: true };
}

function redacted(change: SiteChange, lines: ReadonlyMap<string, ReadonlySet<string>>): SiteChange {
  const files = change.files.map((file) => {
    const hidden = lines.get(file.path);
    return hidden === undefined ? file : { ...file, diff: withoutLines(file.diff, hidden) };
  });
  return { ...change, files };
}

function withoutLines(diff: string, hidden: ReadonlySet<string>): string {
  return (
    diff
      .split('\n')
      .map((line) => (/^[ +-]/.test(line) && hidden.has(line.slice(1)) ? `${line[0]}${REDACTED}` : line))
      .join('\n')
      // A hunk header quotes the nearest line above it.
      .replaceAll(/^(@@ [^@]* @@).+$/gm, '$1')
  );
}
