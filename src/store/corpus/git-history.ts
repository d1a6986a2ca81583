import { SITE_LIMITS } from '../../civic/config.ts';
import { isCorpusPath } from '../../civic/corpus/source-file.ts';
import type { SiteChange, SiteHistory } from '../../civic/site/site-source.ts';
import { type ReadHistory, readHistoryFile, writeHistoryFile } from './history-file.ts';
import { isGitRoot, runGit } from './run-git.ts';

/** A byte that occurs in no message or path. */
const RECORD = '\u0001';
const FIELD = '\u0002';
const FORMAT = `${RECORD}%H${FIELD}%ct${FIELD}%B${FIELD}`;

/** The history of a corpus folder, read again only if its head moved. */
export class GitHistory {
  readonly #dir: string;
  readonly #isKept: boolean;
  #last: ReadHistory | undefined;
  #reading: Promise<SiteHistory> = Promise.resolve(undefined);
  #next: Promise<SiteHistory> | undefined;

  /** `isKept`: in a file, for the next process. */
  constructor(dir: string, { isKept = false }: { readonly isKept?: boolean } = {}) {
    this.#dir = dir;
    this.#isKept = isKept;
  }

  /** One read at a time. Callers that arrive during a read share the next one. */
  read(): Promise<SiteHistory> {
    this.#next ??= this.#reading.then(
      () => this.#readNow(),
      () => this.#readNow(),
    );
    return this.#next;
  }

  #readNow(): Promise<SiteHistory> {
    // From here on the head may move unnoticed.
    this.#reading = this.#next as Promise<SiteHistory>;
    this.#next = undefined;
    return this.#readHead();
  }

  async #readHead(): Promise<SiteHistory> {
    if (!isGitRoot(this.#dir)) return undefined;
    const head = await this.#headId();
    if (head === undefined) return [];
    if (this.#isKept) this.#last ??= readHistoryFile(this.#dir);
    if (head !== this.#last?.head) {
      this.#last = { head, changes: await this.#log(head, this.#last) };
      if (this.#isKept) writeHistoryFile(this.#dir, this.#last);
    }
    return this.#last.changes;
  }

  /** Undefined: nothing was committed yet. */
  async #headId(): Promise<string | undefined> {
    const id = await runGit(this.#dir, ['rev-parse', '--quiet', '--verify', 'HEAD']).catch(() => '');
    return id.trim() === '' ? undefined : id.trim();
  }

  /** Reuses known changes if the known head is an ancestor of the new one. */
  async #log(head: string, known: ReadHistory | undefined): Promise<readonly SiteChange[]> {
    const isLater =
      known !== undefined &&
      (await runGit(this.#dir, ['merge-base', '--is-ancestor', known.head, head]).then(
        () => true,
        () => false,
      ));
    const range = isLater ? [`${known.head}..${head}`] : [head];
    const args = [
      'log',
      '--first-parent',
      '--diff-merges=first-parent',
      '--patch',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
    ];
    const limit = `--max-count=${SITE_LIMITS.historyMax}`;
    const folders = ['--', 'skills', 'paths', 'catalogue'];
    const text = await runGit(this.#dir, [...args, limit, `--format=${FORMAT}`, ...range, ...folders], {
      bytesMax: SITE_LIMITS.historyBytesMax,
    });
    const fresh = text.split(RECORD).slice(1).map(parseChange);
    return (isLater ? [...fresh, ...known.changes] : fresh).slice(0, SITE_LIMITS.historyMax);
  }
}

function parseChange(record: string): SiteChange {
  const [id = '', seconds = '0', message = '', patch = ''] = record.split(FIELD);
  const [subject = '', ...lines] = message.trim().split('\n');
  return { id, at: Number(seconds) * 1000, subject, body: lines.join('\n').trim(), files: parsePatch(patch) };
}

/** The diff of each file, starting at its first hunk. */
function parsePatch(patch: string): SiteChange['files'] {
  return patch
    .split(/^diff --git /m)
    .slice(1)
    .flatMap((part) => {
      const path = /^\+\+\+ b\/(.+)$/m.exec(part)?.[1] ?? /^--- a\/(.+)$/m.exec(part)?.[1];
      if (path === undefined || !isCorpusPath(path)) return [];
      const start = part.indexOf('\n@@');
      return [{ path, diff: start < 0 ? '' : part.slice(start + 1) }];
    });
}
