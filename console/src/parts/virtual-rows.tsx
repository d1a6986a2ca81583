import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface VirtualRowsProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly header: ComponentChildren;
  readonly className: string;
  readonly keyOf: (item: T) => string;
  readonly row: (item: T, index: number) => ComponentChildren;
  /** Called when the end of the list comes near. */
  readonly onEnd?: (() => void) | undefined;
}

const OVERSCAN = 12;

/** A table of which only the rows in sight are in the document: a hundred thousand scroll like ten. */
export function VirtualRows<T>(props: VirtualRowsProps<T>) {
  const { items, rowHeight, keyOf, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
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
          {items.slice(first, last).map((item, offset) => (
            <div
              key={keyOf(item)}
              role="row"
              class="row"
              aria-rowindex={first + offset + 2}
              style={{ top: `${(first + offset) * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {props.row(item, first + offset)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
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
