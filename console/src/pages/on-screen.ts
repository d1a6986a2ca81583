/** Height that the bar at the top of the screen may cover. */
export const COVERED_PX = 64;
const LINE_PX = 19;
/** Lines that stay on the screen when it scrolls on. */
const KEPT_PX = 2 * LINE_PX;

/** A part of a text, in pixels from their first line. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** How far a text has been on the screen, from its first line without a gap. */
export interface Mark {
  /** An element after the last line. */
  readonly end: HTMLElement;
  readonly seenPx: number;
  readonly width: number;
  readonly height: number;
  /** What is on the screen; nothing is in a hidden tab. */
  readonly view: Part | undefined;
}

/** Only what was on the screen at two looks counts: the End key scrolls past the lines between. */
export function markNow(end: HTMLElement, before: Mark | undefined): Mark {
  const first = firstOf(end).getBoundingClientRect();
  const height = Math.round(lastOf(end).getBoundingClientRect().bottom - first.top);
  const area = visibleArea(end);
  const within = (y: number) => Math.min(height, Math.max(0, Math.round(y - first.top)));
  const view = document.hidden ? undefined : { from: within(area.top), to: within(area.bottom) };
  const now = { end, width: first.width, height, view };
  // Lines break elsewhere at another width.
  if (!before || before.width !== now.width) return { ...now, seenPx: 0 };
  // Text that appears, such as a revealed value, is on the screen or below it.
  if (before.height !== height) return { ...now, seenPx: Math.min(before.seenPx, view?.from ?? 0) };
  if (!view || !before.view) return { ...now, seenPx: before.seenPx };
  const isNext = Math.max(view.from, before.view.from) <= before.seenPx;
  const to = Math.min(view.to, before.view.to);
  return { ...now, seenPx: isNext ? Math.max(before.seenPx, to) : before.seenPx };
}

export function isAtRest({ height, width, view }: Mark, before: Mark | undefined): boolean {
  if (!view) return true;
  const isSameSize = before?.height === height && before.width === width;
  return isSameSize && before.view?.from === view.from && before.view.to === view.to;
}

export function linesOf({ height }: Mark): number {
  return Math.max(1, Math.ceil(height / LINE_PX));
}

export function linesLeftOf({ height, seenPx }: Mark): number {
  // A dialog that is not open yet has no height.
  if (height === 0) return 1;
  return Math.ceil((height - seenPx) / LINE_PX);
}

/** Scrolls back or on to the first lines that were not on the screen. */
export function scrollToUnseen({ end, seenPx }: Mark): void {
  const box = end.closest('dialog') ?? document.documentElement;
  const { top } = visibleArea(end);
  const next = firstOf(end).getBoundingClientRect().top + seenPx;
  box.scrollBy({ top: next - top - KEPT_PX, behavior: 'instant' });
}

const firstOf = (end: HTMLElement) => end.parentElement?.querySelector('.json, .diff') ?? end;

/** The last lines: a difference, or the arguments, or their exact bytes below them. */
const lastOf = (end: HTMLElement) =>
  [...(end.parentElement?.querySelectorAll('.json, .diff, pre') ?? [])].at(-1) ?? end;

/** The part of the screen that no bar covers. */
function visibleArea(end: HTMLElement): { readonly top: number; readonly bottom: number } {
  const place = end.closest('dialog, article');
  const bar = place?.querySelector('.decision')?.getBoundingClientRect();
  if (place?.tagName !== 'DIALOG') {
    // On a phone it is at the bottom.
    const pages = document.querySelector('.sidebar')?.getBoundingClientRect().top ?? 0;
    return { top: Math.max(COVERED_PX, bar?.bottom ?? 0), bottom: pages > 0 ? pages : innerHeight };
  }
  const { top, bottom } = place.getBoundingClientRect();
  return { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom, bar?.top ?? bottom) };
}
