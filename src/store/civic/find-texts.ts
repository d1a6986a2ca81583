import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE_BYTES_MAX = 1024 * 1024 * 1024;
/** How much of a text is looked for in a history: more of it does not fit a command line. */
const HISTORY_CHARS_MAX = 1000;
const GIT_MS_MAX = 60_000;

/**
 * Files below these folders that hold one of these texts, as it is or as JSON has it, and commits of a folder that is a git
 * repository whose change or message has one: objects of git are compressed, so that searching its files would prove nothing.
 */
export function findTexts(dirs: readonly string[], texts: readonly string[]): string[] {
  const wanted = [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
  if (wanted.length === 0) return [];
  const bytes = wanted.map((text) => Buffer.from(text));
  return dirs.flatMap((dir) => [...filesWith(dir, bytes), ...commitsWith(dir, wanted)]);
}

function filesWith(dir: string, wanted: readonly Buffer[]): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (!stats?.isFile() || stats.size > FILE_BYTES_MAX) return false;
      const content = readFileSync(path);
      return wanted.some((text) => content.includes(text));
    });
}

function commitsWith(dir: string, wanted: readonly string[]): string[] {
  if (!existsSync(join(dir, '.git'))) return [];
  const found = new Set<string>();
  for (const text of wanted) {
    const part = text.slice(0, HISTORY_CHARS_MAX);
    // A message is searched line by line.
    const [line = part] = part.split('\n').sort((a, b) => b.length - a.length);
    for (const search of [[`-S${part}`], ['--fixed-strings', `--grep=${line}`]]) {
      for (const commit of log(dir, search)) found.add(`${dir} commit ${commit}`);
    }
  }
  return [...found];
}

function log(dir: string, search: readonly string[]): string[] {
  const args = ['-C', dir, 'log', '--all', '--reflog', '--format=%H', ...search];
  return execFileSync('git', args, { encoding: 'utf8', timeout: GIT_MS_MAX, stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '');
}
