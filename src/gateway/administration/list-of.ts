import { BinderyError } from '../../contract/errors.ts';
import { didYouMean } from '../../contract/nearest-word.ts';

/** Parses a comma-separated list of known names. */
export function listOf<T extends string>(member: string, text: string, known: readonly T[]): T[] {
  return [...new Set(text.split(','))].map((word) => {
    const name = known.find((one) => one === word.trim());
    if (name) return name;
    const hint = didYouMean(word.trim(), known);
    throw new BinderyError('INVALID_ARGUMENTS', {
      detail: `/${member}: ${word} is none of ${known.join(', ')}`,
      ...(hint === '' ? {} : { next: hint }),
    });
  });
}
