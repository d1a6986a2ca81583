import { tokens } from '../data/format.ts';
import { href } from '../data/router.ts';
import type { Tool } from '../data/types.ts';
import { t } from '../texts.ts';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Weighted<T> {
  readonly item: T;
  readonly weight: number;
}

/** On a phone it is higher than wide, so that names fit. */
const SIZES = { wide: [1_200, 220], narrow: [380, 300] } as const;
const TOOLS_DRAWN = 400;
const LETTER = 6.2;

/** Divides a box among weights, always across its longer side, so that no part becomes a thread. */
function divide<T>(parts: readonly Weighted<T>[], box: Box): (Weighted<T> & { readonly box: Box })[] {
  const [first] = parts;
  if (!first) return [];
  if (parts.length === 1) return [{ ...first, box }];
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  let half = 0;
  let at = 0;
  while (at < parts.length - 1 && half + (parts[at] as Weighted<T>).weight / 2 < total / 2) {
    half += (parts[at] as Weighted<T>).weight;
    at += 1;
  }
  at = Math.max(1, at);
  half = parts.slice(0, at).reduce((sum, { weight }) => sum + weight, 0);
  const share = total === 0 ? 0.5 : half / total;
  const isWide = box.width >= box.height;
  const one = isWide ? { ...box, width: box.width * share } : { ...box, height: box.height * share };
  const other = isWide
    ? { ...box, x: box.x + one.width, width: box.width - one.width }
    : { ...box, y: box.y + one.height, height: box.height - one.height };
  return [...divide(parts.slice(0, at), one), ...divide(parts.slice(at), other)];
}

/** Tokens by server and tool. The table below it has the same figures. */
export function Treemap({ tools }: { readonly tools: readonly Tool[] }) {
  const drawn = tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, TOOLS_DRAWN);
  const groups = [...Map.groupBy(drawn, ({ server }) => server)]
    .map(([server, own]) => ({ item: { server, own }, weight: own.reduce((sum, tool) => sum + tool.tokens, 0) }))
    .sort((a, b) => b.weight - a.weight);
  const [width, height] = SIZES[matchMedia('(max-width: 640px)').matches ? 'narrow' : 'wide'];
  const boxes = divide(groups, { x: 0, y: 0, width, height });
  return (
    <figure class="treemap">
      <figcaption>{t.tools.treemap}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={t.tools.treemap}>
        {boxes.map(({ item: { server, own }, weight, box }, index) => (
          <g key={server} class={`hue-${index % 6}`}>
            {divide(
              own.map((tool) => ({ item: tool, weight: Math.max(1, tool.tokens) })),
              { x: box.x + 1, y: box.y + 17, width: Math.max(0, box.width - 2), height: Math.max(0, box.height - 18) },
            ).map(({ item: tool, box: part }) => (
              <ToolBox key={tool.name} tool={tool} box={part} />
            ))}
            <text class="group" x={box.x + 4} y={box.y + 13}>
              {fit(`${server} ${tokens(weight)}`, box.width)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}

function ToolBox({ tool, box }: { readonly tool: Tool; readonly box: Box }) {
  const label = `${tool.server} / ${tool.original_name}: ${t.tools.tokenCount(tokens(tool.tokens))}`;
  return (
    <a href={href('tools', tool.name)}>
      <title>{label}</title>
      <rect x={box.x} y={box.y} width={Math.max(0, box.width - 1)} height={Math.max(0, box.height - 1)} />
      {box.height > 14 && (
        <text x={box.x + 4} y={box.y + 13} aria-hidden="true">
          {fit(tool.original_name, box.width)}
        </text>
      )}
    </a>
  );
}

function fit(text: string, width: number): string {
  const most = Math.floor((width - 8) / LETTER);
  if (most < 3) return '';
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
