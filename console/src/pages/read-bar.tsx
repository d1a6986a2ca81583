import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';
import type { ReadLines } from './read-lines.ts';

interface ReadBarProps {
  readonly lines: ReadLines;
  readonly of: readonly string[];
}

/** How much of some texts has been on the screen. */
export function ReadBar({ lines, of }: ReadBarProps) {
  const percent = Math.floor(100 * lines.share(of));
  return (
    <div
      class="read-bar"
      role="progressbar"
      aria-label={t.common.readSoFar}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      title={t.common.pageDown}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  );
}

/**
 * While Page Down is held, the keyboard repeats it faster than lines count. Each repeat goes to the first lines that were not on the screen:
 * it moves once those before have counted. Undefined: there is nothing to read on.
 */
export function useHeldPageDown(readOn: (() => void) | undefined): void {
  const latest = useRef(readOn);
  latest.current = readOn;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'PageDown' || !event.repeat || !latest.current) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
