import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
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

/** The name of a server, or some of its tools side by side. */
interface MatrixRow {
  readonly key: string;
  readonly server: string;
  readonly tools: readonly Tool[];
}

interface PolicyMatrixProps {
  readonly tools: readonly Tool[];
  readonly chosen: string | null;
}

/** Each server with its tools, each a cell with its decision; only the rows in sight are in the document. */
export function PolicyMatrix({ tools, chosen }: PolicyMatrixProps) {
  const element = useRef<HTMLDivElement>(null);
  const columns = useColumns(element);
  const rows = useMemo(() => rowsOf(tools, columns), [tools, columns]);
  const row = useMemo(() => (one: MatrixRow) => <MatrixCells row={one} chosen={chosen} />, [chosen]);
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

function rowsOf(tools: readonly Tool[], columns: number): MatrixRow[] {
  return [...Map.groupBy(tools, ({ server }) => server)].flatMap(([server, own]) => [
    { key: `${server} ${columns}`, server, tools: [] },
    ...Array.from({ length: Math.ceil(own.length / columns) }, (_, index) => ({
      key: `${server} ${columns} ${index}`,
      server,
      tools: own.slice(index * columns, (index + 1) * columns),
    })),
  ]);
}

function MatrixCells({ row: { server, tools }, chosen }: { readonly row: MatrixRow; readonly chosen: string | null }) {
  if (tools.length === 0)
    return (
      <Cell className="mono server-name">
        <a href={href('servers', server)}>
          <Line text={server} max={80} />
        </a>
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
