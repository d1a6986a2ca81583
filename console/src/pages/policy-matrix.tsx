import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { count } from '../data/format.ts';
import { href, setQuery } from '../data/router.ts';
import type { Tool } from '../data/types.ts';
import { Icon } from '../parts/icons.tsx';
import { Line, plain } from '../parts/shown.tsx';
import { Cell, HeadCell, VirtualRows } from '../parts/virtual-rows.tsx';
import { t } from '../texts.ts';

const ICONS = { allow: 'ok', deny: 'failed', approval: 'asks' } as const;
const ROW_HEIGHT = 36;
/** As wide as most names. */
const CELL_PX = 220;

/** Rows of a server that are visible before it is expanded. */
const ROWS_CLOSED = 2;
/** Where there is one column. */
const ROWS_CLOSED_NARROW = 6;

/** A row: the name of a server with its counts, or some of its tools. */
interface MatrixRow {
  readonly key: string;
  readonly server: string;
  readonly tools: readonly Tool[];
  /** For the whole server; set on the row with its name. */
  readonly head?: { readonly all: readonly Tool[]; readonly isLong: boolean; readonly isOpen: boolean };
}

interface PolicyMatrixProps {
  readonly tools: readonly Tool[];
  readonly chosen: string | null;
  /** A filter is active: then more rows of each server are visible. */
  readonly isNarrowed: boolean;
}

/** Each server with its tools, each a cell with its decision; only visible rows are in the document. */
export function PolicyMatrix({ tools, chosen, isNarrowed }: PolicyMatrixProps) {
  const element = useRef<HTMLDivElement>(null);
  const columns = useColumns(element);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const fewest = columns === 1 ? ROWS_CLOSED_NARROW : ROWS_CLOSED;
  const closed = isNarrowed ? fewest * 2 : fewest;
  const rows = useMemo(() => rowsOf(tools, columns, closed, open), [tools, columns, closed, open]);
  const row = useMemo(() => {
    const toggle = (server: string) =>
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(server)) next.add(server);
        return next;
      });
    return (one: MatrixRow) => <MatrixCells row={one} chosen={chosen} onToggle={toggle} />;
  }, [chosen]);
  return (
    <div ref={element} style={{ '--columns': String(columns) }}>
      <VirtualRows
        label={t.policy.tabs.matrix}
        className="matrix-rows"
        items={rows}
        rowHeight={ROW_HEIGHT}
        keyOf={({ key }) => key}
        header={<HeadCell>{t.policy.matrixHead}</HeadCell>}
        row={row}
      />
    </div>
  );
}

function useColumns(element: { readonly current: HTMLElement | null }): number {
  const [columns, setColumns] = useState(1);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) =>
      setColumns(Math.max(1, Math.floor((entry?.contentRect.width ?? 0) / CELL_PX))),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return columns;
}

function rowsOf(tools: readonly Tool[], columns: number, closed: number, open: ReadonlySet<string>): MatrixRow[] {
  return [...Map.groupBy(tools, ({ server }) => server)].flatMap(([server, own]) => {
    const lines = Math.ceil(own.length / columns);
    const isLong = lines > closed;
    const isOpen = open.has(server);
    return [
      { key: `${server} ${columns}`, server, tools: [], head: { all: own, isLong, isOpen } },
      ...Array.from({ length: isLong && !isOpen ? closed : lines }, (_, index) => ({
        key: `${server} ${columns} ${index}`,
        server,
        tools: own.slice(index * columns, (index + 1) * columns),
      })),
    ];
  });
}

interface MatrixCellsProps {
  readonly row: MatrixRow;
  readonly chosen: string | null;
  readonly onToggle: (server: string) => void;
}

function MatrixCells({ row: { server, tools, head }, chosen, onToggle }: MatrixCellsProps) {
  if (head)
    return (
      <Cell className="server-name">
        <a class="mono" href={href('servers', server)}>
          <Line text={server} max={80} />
        </a>{' '}
        <VerdictCounts tools={head.all} />
        {head.isLong && (
          <button type="button" class="link" aria-expanded={head.isOpen} onClick={() => onToggle(server)}>
            {head.isOpen ? t.policy.showFewer : t.policy.showRows(count(head.all.length))}
          </button>
        )}
      </Cell>
    );
  return (
    <>
      {tools.map((tool) => (
        <Cell key={tool.name}>
          <ToolVerdict tool={tool} isChosen={tool.name === chosen} />
        </Cell>
      ))}
    </>
  );
}

function ToolVerdict({ tool, isChosen }: { readonly tool: Tool; readonly isChosen: boolean }) {
  const { decision, rule } = tool.decision;
  return (
    <button
      type="button"
      class={`verdict ${decision}`}
      aria-pressed={isChosen}
      title={`${plain(tool.original_name)}: ${t.rules[rule as keyof typeof t.rules] ?? rule}`}
      onClick={() => setQuery({ tool: tool.name })}
    >
      <Icon name={ICONS[decision]} />
      <Line text={tool.original_name} max={60} />
      <span class="visually-hidden">{t.verdicts[decision]}</span>
    </button>
  );
}

/** How many tools of a server are allowed, need approval and are denied. */
function VerdictCounts({ tools }: { readonly tools: readonly Tool[] }) {
  return (
    <span class="verdict-counts">
      {(['allow', 'approval', 'deny'] as const).map((verdict) => {
        const some = tools.filter(({ decision }) => decision.decision === verdict).length;
        return (
          some > 0 && (
            <span key={verdict} class={`verdict ${verdict}`} title={t.verdicts[verdict]}>
              <Icon name={ICONS[verdict]} />
              <span class="visually-hidden">{t.verdicts[verdict]}</span> {count(some)}
            </span>
          )
        );
      })}
    </span>
  );
}
