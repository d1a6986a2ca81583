import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ReadLines } from './read-lines.ts';

/** How long a line must stay on the screen to count. */
const HELD_MS = 150;

interface EndOfLinesProps {
  /** Names the text that ends here. */
  readonly of: string;
  readonly lines: ReadLines;
}

/** A marker after the last line of a text. It looks at what is on the screen when something moves, and again until nothing moves. */
export function EndOfLines({ of, lines }: EndOfLinesProps) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef({ of, lines });
  drawn.current = { of, lines };
  useLayoutEffect(() => {
    const end = element.current;
    if (!end) return undefined;
    let timer = 0;
    const look = () => {
      const isAtRest = drawn.current.lines.look(drawn.current.of, end);
      timer = isAtRest ? 0 : window.setTimeout(look, HELD_MS);
    };
    const onMove = () => {
      if (timer === 0) look();
    };
    look();
    const resized = new ResizeObserver(onMove);
    if (end.parentElement) resized.observe(end.parentElement);
    const ended = new AbortController();
    const { signal } = ended;
    // A dialog may scroll instead of the page, and scroll events do not bubble.
    document.addEventListener('scroll', onMove, { capture: true, passive: true, signal });
    document.addEventListener('visibilitychange', onMove, { signal });
    addEventListener('resize', onMove, { signal });
    return () => {
      clearTimeout(timer);
      resized.disconnect();
      ended.abort();
    };
  }, []);
  return <div ref={element} class="end-of-lines" />;
}
