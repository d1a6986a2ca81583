import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Records when a version of the corpus was first built here, so that equal versions give equal bytes after a restart. One line per version:
 * `<hex> <RFC 3339>`.
 */
export class VersionTimes {
  readonly #file: string;
  readonly #times = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
    for (const line of readLines(file)) {
      const [version, time] = line.split(' ');
      if (version && time && !this.#times.has(version)) this.#times.set(version, time);
    }
  }

  firstBuilt(version: string, nowMs: number): string {
    const known = this.#times.get(version);
    if (known !== undefined) return known;
    const time = new Date(nowMs).toISOString();
    mkdirSync(dirname(this.#file), { recursive: true });
    // The leading newline terminates a line that a crash cut short.
    appendFileSync(this.#file, `\n${version} ${time}\n`);
    this.#times.set(version, time);
    return time;
  }
}

function readLines(file: string): string[] {
  try {
    // A line that a crash cut short has no time and is skipped.
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^[0-9a-f]{64} \S{24}$/.test(line));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}
