import { createTwoFilesPatch } from 'diff';
import { REVIEW_LIMITS } from '../config.ts';

/** A unified diff of one file in git's format, without the machine-only lines. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const old = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: REVIEW_LIMITS.diffContextLines };
  const patch = createTwoFilesPatch(old, `b/${path}`, before ?? '', after, '', '', options);
  return patch.slice(patch.indexOf('---')).replaceAll(/^((?:---|\+\+\+) [^\t\n]*)\t$/gm, '$1');
}
