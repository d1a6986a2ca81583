import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../data/types.ts';
import { COVERED_PX, pixelsBelow, type Reading } from './reading.ts';

const LINE_PX = 19;

interface OfReading {
  readonly approval: Approval;
  readonly reading: Reading;
}

/**
 * A marker after the last line of the arguments: they count as read once it is on the screen and their first line was before. The end alone
 * proves nothing, because the page may be scrolled when a call is opened.
 */
export function EndOfArguments({ approval, reading }: OfReading) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef({ approval, reading });
  drawn.current = { approval, reading };
  useLayoutEffect(() => {
    const end = element.current;
    if (!end) return undefined;
    reading.setEnd(approval, end);
    const begin = end.parentElement?.firstElementChild ?? end;
    let isEndShown = false;
    const observer = new IntersectionObserver(
      (changes) => {
        const now = drawn.current;
        for (const { target, isIntersecting } of changes) {
          if (target === begin && isIntersecting) now.reading.begin(now.approval);
          if (target === end) isEndShown = isIntersecting;
        }
        if (isEndShown) now.reading.see(now.approval);
      },
      { rootMargin: `0px 0px -${COVERED_PX}px 0px` },
    );
    observer.observe(begin);
    observer.observe(end);
    return () => {
      observer.disconnect();
      reading.setEnd(approval, null);
    };
  }, []);
  return <div ref={element} class="end-of-arguments" />;
}

/** How many lines of the arguments are below what is on the screen. */
export function useLinesBelow({ approval, reading }: OfReading): number {
  const [lines, setLines] = useState(0);
  const measure = () => {
    const end = reading.end(approval);
    setLines(end ? Math.ceil(pixelsBelow(end) / LINE_PX) : 0);
  };
  useLayoutEffect(() => {
    measure();
    // A dialog may scroll instead of the page, and scroll events do not bubble.
    document.addEventListener('scroll', measure, { capture: true, passive: true });
    addEventListener('resize', measure);
    return () => {
      document.removeEventListener('scroll', measure, { capture: true });
      removeEventListener('resize', measure);
    };
  });
  return lines;
}
