import { useEffect, useState } from 'preact/hooks';
import { tokens } from '../data/format.ts';
import { href } from '../data/router.ts';
import type { Costs, Tool } from '../data/types.ts';
import { t } from '../texts.ts';
import { plain } from './shown.tsx';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Weighted<T> {
  readonly item: T;
  readonly weight: number;
  /** If the box is not to scale: its real tokens. */
  readonly tokens?: number;
}

/** Relatively higher on a phone, so that names fit. */
const SIZES = { wide: [1_200, 220], narrow: [380, 300] } as const;
const NARROW = matchMedia('(max-width: 640px)');
const TOOLS_DRAWN = 400;
const LETTER = 6.6;
/** Maximum size of the box for the remaining tools, relative to the drawn ones. */
const MORE_SHARE = 0.15;

/** Divides a box among weights, always across its longer side, so that no part becomes very thin. */
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

interface TreemapProps {
  readonly tools: readonly Tool[];
  /** The total of each server: if there are many tools, only the largest are drawn. */
  readonly servers: Costs['servers'];
}

/** A tool, or the number of tools that one box stands for. */
type Part = Tool | number;

/** The drawn tools of a server, the largest first, and the others as one small box. */
function partsOf(server: Costs['servers'][number], drawn: readonly Tool[]): Weighted<Part>[] {
  const parts = drawn.map((tool): Weighted<Part> => ({ item: tool, weight: Math.max(1, tool.tokens) }));
  const known = drawn.reduce((sum, tool) => sum + tool.tokens, 0);
  const more = server.tools - drawn.length;
  // To scale it could fill most of the picture, so it gets a small box, and its title has its tokens.
  const rest = drawn.length === 0 ? 1 : Math.min(server.tokens - known, known * MORE_SHARE);
  return more > 0 ? [...parts, { item: more, weight: Math.max(1, rest), tokens: server.tokens - known }] : parts;
}

/** Follows the window: labels of a wide picture are unreadable in a narrow one. */
function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => NARROW.matches);
  useEffect(() => {
    const follow = () => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', follow);
    return () => NARROW.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}

/** Tokens by server and tool that a client may call. The table below it has the same figures. */
export function Treemap({ tools, servers }: TreemapProps) {
  const drawn = tools
    .filter(({ decision, status }) => decision.decision !== 'deny' && status === 'active')
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, TOOLS_DRAWN);
  const byServer = Map.groupBy(drawn, ({ server }) => server);
  const groups = servers.map((server) => ({ item: server, weight: server.tokens })).sort((a, b) => b.weight - a.weight);
  const [width, height] = SIZES[useIsNarrow() ? 'narrow' : 'wide'];
  const boxes = divide(groups, { x: 0, y: 0, width, height });
  return (
    <figure class="treemap">
      <figcaption>{t.tools.treemap}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={t.tools.treemap}>
        {boxes.map(({ item: server, weight, box }, index) => (
          <g key={server.server} class={`hue-${index % 6}`}>
            {divide(partsOf(server, byServer.get(server.server) ?? []), {
              x: box.x + 1,
              y: box.y + 17,
              width: Math.max(0, box.width - 2),
              height: Math.max(0, box.height - 18),
            }).map(({ item, weight: own, tokens: meant = own, box: part }) =>
              typeof item === 'number' ? (
                <MoreBox key="more" server={server.server} tools={item} weight={meant} box={part} />
              ) : (
                <ToolBox key={item.name} tool={item} box={part} />
              ),
            )}
            <text class="group" x={box.x + 4} y={box.y + 13}>
              {groupLabel(server.server, tokens(weight), box.width)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}

interface LabelledBoxProps {
  readonly link: string;
  readonly label: string;
  readonly text: string;
  readonly box: Box;
}

function LabelledBox({ link, label, text, box }: LabelledBoxProps) {
  return (
    <a href={link}>
      <title>{plain(label)}</title>
      <rect x={box.x} y={box.y} width={Math.max(0, box.width - 1)} height={Math.max(0, box.height - 1)} />
      {box.height > 14 && (
        <text x={box.x + 4} y={box.y + 13} aria-hidden="true">
          {fit(plain(text), box.width)}
        </text>
      )}
    </a>
  );
}

interface MoreBoxProps {
  readonly server: string;
  readonly tools: number;
  readonly weight: number;
  readonly box: Box;
}

function MoreBox({ server, tools, weight, box }: MoreBoxProps) {
  const text = t.tools.moreTools(tools);
  const label = `${server}: ${text}, ${t.tools.tokenCount(tokens(weight))}`;
  return <LabelledBox link={href('servers', server, 'tools')} label={label} text={text} box={box} />;
}

function ToolBox({ tool, box }: { readonly tool: Tool; readonly box: Box }) {
  const label = `${tool.server} / ${tool.original_name}: ${t.tools.tokenCount(tokens(tool.tokens))}`;
  return <LabelledBox link={href('tools', tool.name)} label={label} text={tool.original_name} box={box} />;
}

/** The name of a server, with its tokens if they fit. */
function groupLabel(name: string, cost: string, width: number): string {
  const whole = `${name} ${cost}`;
  return fit(whole, width) === whole ? whole : fit(name, width);
}

/** A cut name needs more letters than this. */
const LETTERS_MIN = 5;

/** Cuts a label to the width, and leaves it out if too few letters fit; the title and the table have it in any case. */
function fit(text: string, width: number): string {
  const letters = Math.floor((width - 8) / LETTER);
  if (text.length <= letters) return text;
  return letters > LETTERS_MIN ? `${text.slice(0, letters - 1).replace(/[\ud800-\udbff]$/, '')}…` : '';
}
