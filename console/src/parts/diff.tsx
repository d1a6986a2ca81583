import { useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { t } from '../texts.ts';
import { marked, markedEscapes } from './shown.tsx';

const LINES_SHOWN = 300;
const CHARS_SHOWN = 2_000;

function kindOf(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'added';
  if (line.startsWith('-') && !line.startsWith('---')) return 'removed';
  return line.startsWith('@@') ? 'place' : '';
}

interface DiffProps {
  readonly text: string;
  /** The gateway has already escaped hidden characters. */
  readonly isEscaped?: boolean;
  /** Nothing is folded. */
  readonly isWhole?: boolean;
}

/** A unified diff; hidden characters are marked, and each line begins with its sign. */
export function Diff({ text, isEscaped = false, isWhole: isAlwaysWhole = false }: DiffProps) {
  const mark = isEscaped ? markedEscapes : marked;
  const [isOpened, setOpened] = useState(false);
  const isWhole = isAlwaysWhole || isOpened;
  const lines = text.replace(/\n$/, '').split('\n');
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class={isAlwaysWhole ? 'diff whole' : 'diff'} role="region" aria-label={t.common.difference} tabIndex={0}>
      {shown.map((line, index) => (
        <div key={index} class={kindOf(line)}>
          <bdi>{mark(line.length > CHARS_SHOWN && !isWhole ? `${line.slice(0, CHARS_SHOWN)}…` : line)}</bdi>
        </div>
      ))}
      {!isWhole && (shown.length < lines.length || shown.some((line) => line.length > CHARS_SHOWN)) && (
        <button type="button" class="link" onClick={() => setOpened(true)}>
          {t.common.showAllLines(count(lines.length))}
        </button>
      )}
    </div>
  );
}

/** The lines that differ between two texts, with two lines of context. If thousands of lines differ, only common ends are found. */
export function diffLines(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [gone, come] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  if (gone.length === 0 && come.length === 0) return '';
  const middle = gone.length * come.length > 4_000_000 ? whole(gone, come) : common(gone, come);
  const around = (lines: readonly string[]) => lines.map((line) => ` ${line}`);
  return [
    `@@ ${start + 1} @@`,
    ...around(now.slice(Math.max(0, start - 2), start)),
    ...middle,
    ...around(now.slice(now.length - end, now.length - end + 2)),
  ].join('\n');
}

function whole(gone: readonly string[], come: readonly string[]): string[] {
  return [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)];
}

/** By the longest common subsequence. */
function common(gone: readonly string[], come: readonly string[]): string[] {
  const width = come.length + 1;
  const longest = new Uint32Array((gone.length + 1) * width);
  for (let i = gone.length - 1; i >= 0; i -= 1) {
    for (let j = come.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        gone[i] === come[j]
          ? (longest[(i + 1) * width + j + 1] as number) + 1
          : Math.max(longest[(i + 1) * width + j] as number, longest[i * width + j + 1] as number);
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    if (i < gone.length && j < come.length && gone[i] === come[j]) {
      lines.push(` ${gone[i]}`);
      i += 1;
      j += 1;
    } else if (
      j >= come.length ||
      (i < gone.length && (longest[(i + 1) * width + j] as number) >= (longest[i * width + j + 1] as number))
    ) {
      lines.push(`-${gone[i]}`);
      i += 1;
    } else {
      lines.push(`+${come[j]}`);
      j += 1;
    }
  }
  return lines;
}
