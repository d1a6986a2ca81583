import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Approval } from '../data/types.ts';
import type { Reading } from './reading.ts';

/** How long a line must stay on the screen to count. */
const HELD_MS = 150;

interface EndOfArgumentsProps {
  readonly approval: Approval;
  readonly reading: Reading;
}

/** A marker after the last line of the arguments. It looks at what is on the screen when something moves, and again until nothing moves. */
export function EndOfArguments({ approval, reading }: EndOfArgumentsProps) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef({ approval, reading });
  drawn.current = { approval, reading };
  useLayoutEffect(() => {
    const end = element.current;
    if (!end) return undefined;
    let timer = 0;
    const look = () => {
      const isAtRest = drawn.current.reading.look(drawn.current.approval, end);
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
  return <div ref={element} class="end-of-arguments" />;
}
