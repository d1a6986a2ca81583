import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../data/types.ts';
import { COVERED_PX, pixelsBelow, type Reading } from './reading.ts';

const LINE_PX = 19;

interface OfReading {
  readonly approval: Approval;
  readonly reading: Reading;
}

/** A marker after the last line of the arguments: once it is on the screen, all of them have been. */
export function EndOfArguments({ approval, reading }: OfReading) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef({ approval, reading });
  drawn.current = { approval, reading };
  useLayoutEffect(() => {
    const end = element.current;
    if (!end) return undefined;
    reading.setEnd(approval, end);
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) drawn.current.reading.see(drawn.current.approval);
      },
      { rootMargin: `0px 0px -${COVERED_PX}px 0px` },
    );
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
