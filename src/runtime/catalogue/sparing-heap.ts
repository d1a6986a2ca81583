import { setFlagsFromString } from 'node:v8';
import { UP_LIMITS } from '../limits.ts';

let ending: NodeJS.Timeout | undefined;

/**
 * Makes V8 prefer a small heap for a while. By default it lets the heap grow to several times its live objects: reading a list of 10 MB
 * leaves that much garbage that memory stays high until the next collection, which an idle gateway may not need for minutes.
 */
export function spareHeap(): void {
  if (ending === undefined) setFlagsFromString('--optimize-for-size');
  clearTimeout(ending);
  ending = setTimeout(() => {
    ending = undefined;
    setFlagsFromString('--no-optimize-for-size');
  }, UP_LIMITS.spareHeapMs).unref();
}
