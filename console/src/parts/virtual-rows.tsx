import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

interface VirtualRowsProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly header: ComponentChildren;
  readonly className: string;
  readonly keyOf: (item: T) => string;
  /** Keep the same function while rows look the same: rows are redrawn only if it changes. */
  readonly row: (item: T) => ComponentChildren;
  /** Called when scrolling comes near the end of the list. */
  readonly onEnd?: (() => void) | undefined;
}

const OVERSCAN = 12;
const KEPT_MAX = 2_000;

/** A virtual table: only visible rows are in the document, so a hundred thousand scroll like ten. */
export function VirtualRows<T>(props: VirtualRowsProps<T>) {
  const { items, rowHeight, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [[first, wanted], setView] = useState<readonly [number, number]>([0, 40]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Whole pages of rows at a time, so that most scroll steps draw nothing.
    const look = () => {
      const from = Math.floor(element.scrollTop / rowHeight / OVERSCAN) * OVERSCAN - OVERSCAN;
      const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight / OVERSCAN) * OVERSCAN + OVERSCAN;
      setView((view) => (view[0] === Math.max(0, from) && view[1] === to ? view : [Math.max(0, from), to]));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [rowHeight]);
  const last = Math.min(items.length, wanted);
  const drawn = useDrawn(props);
  useEffect(() => {
    if (last >= items.length - OVERSCAN) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div class={`rows ${props.className}`} role="table" aria-label={props.label} aria-rowcount={items.length + 1}>
      <div role="rowgroup" class="rows-head">
        <div role="row" class="row">
          {props.header}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div role="rowgroup" class="rows-body" ref={scroller} tabIndex={0}>
        <div role="presentation" class="rows-space" style={{ height: `${items.length * rowHeight}px` }}>
          {items.slice(first, last).map((item, offset) => drawn(item, first + offset))}
        </div>
      </div>
    </div>
  );
}

/** Reuses drawn rows while they are visible: the same element is not compared again. */
function useDrawn<T>({ row, rowHeight, keyOf }: VirtualRowsProps<T>): (item: T, index: number) => VNode {
  return useMemo(() => {
    const known = new Map<string, { readonly item: T; readonly index: number; readonly node: VNode }>();
    return (item, index) => {
      const key = keyOf(item);
      const found = known.get(key);
      if (found && found.item === item && found.index === index) return found.node;
      const node = (
        <div
          key={key}
          role="row"
          class="row"
          aria-rowindex={index + 2}
          style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
        >
          {row(item)}
        </div>
      );
      if (known.size > KEPT_MAX) known.clear();
      known.set(key, { item, index, node });
      return node;
    };
  }, [row, rowHeight]);
}

export function Cell({
  children,
  className = '',
}: {
  readonly children?: ComponentChildren;
  readonly className?: string;
}) {
  return (
    <div role="cell" class={`cell ${className}`}>
      {children}
    </div>
  );
}

export function HeadCell({
  children,
  className = '',
}: {
  readonly children?: ComponentChildren;
  readonly className?: string;
}) {
  return (
    <div role="columnheader" class={`cell ${className}`}>
      {children}
    </div>
  );
}
