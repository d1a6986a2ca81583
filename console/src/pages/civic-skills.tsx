import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { href, withQuery } from '../data/router.ts';
import { Badge, Empty, LoadedView, Scroll } from '../parts/basics.tsx';
import { Markdown, type ShowTag } from '../parts/markdown.tsx';
import { Line, marked } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Skill {
  readonly skill_id: string;
  readonly title: string;
  readonly summary: string;
  readonly status: 'alpha' | 'beta' | 'stable';
  readonly category: string;
  readonly requires: readonly { readonly id: string }[];
  readonly required_by: readonly { readonly id: string }[];
  readonly requires_paths: readonly { readonly id: string; readonly degraded?: boolean }[];
  readonly canonical_url: string;
}

export interface Graph {
  readonly version: string;
  readonly skills: readonly Skill[];
}

/** The graph of all skills, or one of them as a page. */
export function Skills({ id }: { readonly id: string | undefined }) {
  const loaded = useLoaded(() => api<Graph>('/agents/skills-graph.json'), []);
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {({ skills }) => {
        const open = skills.find(({ skill_id }) => skill_id === id);
        if (id !== undefined) return open ? <SkillPage skill={open} /> : <Empty text={t.civic.gone(id)} />;
        return skills.length === 0 ? <Empty text={t.civic.none} /> : <SkillGraph skills={skills} />;
      }}
    </LoadedView>
  );
}

export const TONES = { alpha: 'warning', beta: 'asks', stable: 'ok' } as const;
const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [264, 48, 60, 14];
const LETTERS = 37;

/** The depth of each skill in the graph; skills without requirements have depth 0. */
function depths(skills: readonly Skill[]): Map<string, number> {
  const byId = new Map(skills.map((skill) => [skill.skill_id, skill]));
  const known = new Map<string, number>();
  const depth = (id: string, above: readonly string[]): number => {
    const found = known.get(id);
    if (found !== undefined || above.includes(id)) return found ?? 0;
    const needed = (byId.get(id)?.requires ?? []).filter((one) => byId.has(one.id));
    const own = needed.length === 0 ? 0 : 1 + Math.max(...needed.map((one) => depth(one.id, [...above, id])));
    known.set(id, own);
    return own;
  };
  for (const { skill_id } of skills) depth(skill_id, []);
  return known;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** From the right of one box to the left of another; over more than one column it runs between the rows, behind no box. */
function edge(from: Place, to: Place): string {
  const [x, y, end] = [from.x + WIDTH, from.y + HEIGHT / 2, to.y + HEIGHT / 2];
  const bend = (left: number, top: number, right: number, bottom: number) =>
    `C${left + GAP_X / 2} ${top} ${right - GAP_X / 2} ${bottom} ${right} ${bottom}`;
  if (to.x - x <= GAP_X) return `M${x} ${y}${bend(x, y, to.x, end)}`;
  const between = from.y <= to.y ? from.y + HEIGHT + GAP_Y / 2 : from.y - GAP_Y / 2;
  return `M${x} ${y}${bend(x, y, x + GAP_X, between)}L${to.x - GAP_X} ${between}${bend(to.x - GAP_X, between, to.x, end)}`;
}

function SkillGraph({ skills }: { readonly skills: readonly Skill[] }) {
  const [text, setText] = useState('');
  const [zoom, setZoom] = useState(1);
  const [status, setStatus] = useState('');
  const level = depths(skills);
  const columns = [...Map.groupBy(skills, ({ skill_id }) => level.get(skill_id) ?? 0)].sort(([a], [b]) => a - b);
  const places = new Map(
    columns.flatMap(([, own], column) =>
      own.map(
        (skill, row) => [skill.skill_id, { x: 4 + column * (WIDTH + GAP_X), y: 4 + row * (HEIGHT + GAP_Y) }] as const,
      ),
    ),
  );
  const width = columns.length * (WIDTH + GAP_X);
  const height = Math.max(...columns.map(([, own]) => own.length)) * (HEIGHT + GAP_Y) + 8;
  const isFound = ({ title, summary, skill_id, status: own }: Skill) =>
    (status === '' || own === status) && `${skill_id} ${title} ${summary}`.toLowerCase().includes(text.toLowerCase());
  return (
    <>
      <div class="filters">
        <label class="grow">
          <span>{t.civic.search}</span>
          <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          <span>{t.civic.status}</span>
          <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
            <option value="">{t.civic.anyStatus}</option>
            {Object.keys(TONES).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          <span>{t.civic.zoom}</span>
          <input
            type="range"
            min={0.4}
            max={2}
            step={0.1}
            value={zoom}
            onInput={(event) => setZoom(Number(event.currentTarget.value))}
          />
        </label>
      </div>
      <figure class="graph">
        <figcaption>{t.civic.graph}</figcaption>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
        <div class="scroll graph-space" tabIndex={0} role="region" aria-label={t.civic.graph}>
          <svg
            width={width * zoom}
            height={height * zoom}
            viewBox={`0 0 ${width} ${height}`}
            role="group"
            aria-label={t.civic.graph}
          >
            {skills.flatMap((skill) =>
              skill.requires.map(({ id }) => {
                const [from, to] = [places.get(id), places.get(skill.skill_id)];
                if (!from || !to) return null;
                return <path key={`${id} ${skill.skill_id}`} class="edge" d={edge(from, to)} />;
              }),
            )}
            {skills.map((skill) => {
              const place = places.get(skill.skill_id) ?? { x: 0, y: 0 };
              return (
                <a
                  key={skill.skill_id}
                  href={href('civic', 'skills', skill.skill_id)}
                  class={isFound(skill) ? '' : 'dim'}
                >
                  <g transform={`translate(${place.x} ${place.y})`}>
                    <rect class={`node ${TONES[skill.status]}`} width={WIDTH} height={HEIGHT} rx={6} />
                    <text x={10} y={20}>
                      {skill.title.length > LETTERS ? `${skill.title.slice(0, LETTERS - 1)}…` : skill.title}
                    </text>
                    <text x={10} y={37} class="faint">
                      {`${skill.status} · ${skill.category}`}
                    </text>
                  </g>
                </a>
              );
            })}
          </svg>
        </div>
      </figure>
      <Scroll>
        <table class="fold" style={{ '--fold': '76px minmax(0, 1fr)' }}>
          <thead>
            <tr>
              <th>{t.civic.status}</th>
              <th>{t.civic.skill}</th>
              <th class="below">{t.civic.summary}</th>
              <th class="below">{t.civic.requires}</th>
            </tr>
          </thead>
          <tbody>
            {skills.filter(isFound).map((skill) => (
              <tr key={skill.skill_id}>
                <td>
                  <Badge tone={TONES[skill.status]}>{skill.status}</Badge>
                </td>
                <td class="sentence">
                  <a href={href('civic', 'skills', skill.skill_id)}>
                    <Line text={skill.title} max={80} />
                  </a>
                </td>
                <td class="cut faint below">
                  <Line text={skill.summary} max={140} />
                </td>
                <td class="mono below" data-label={skill.requires.length > 0 ? t.civic.requires : undefined}>
                  {skill.requires.map(({ id }) => id).join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

/** Values, references, skills and paths of the corpus as people read them. */
const showTag: ShowTag = (name, { id = '', name: label = '', url = '' }, content) => {
  switch (name) {
    case 'VV':
      return content === '' ? <code>{marked(label)}</code> : <strong title={label}>{marked(content)}</strong>;
    case 'Ref':
      return (
        <>
          {marked(label)} <code>{marked(url)}</code>
        </>
      );
    case 'Skill':
      return <a href={href('civic', 'skills', id)}>{marked(id)}</a>;
    case 'Path':
      return <a href={href('civic', 'links')}>{marked(id)}</a>;
    default:
      return undefined;
  }
};

function SkillPage({ skill }: { readonly skill: Skill }) {
  const loaded = useLoaded(
    () => api<{ body: string }>(`/api/skills/${encodeURIComponent(skill.skill_id)}`),
    [skill.skill_id],
  );
  return (
    <article class="reading">
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('civic')}>{t.pages.civic}</a> / <span class="mono">{skill.skill_id}</span>
      </nav>
      <p>
        <Badge tone={TONES[skill.status]}>{skill.status}</Badge>
        <span class="faint">{` · ${skill.category} · `}</span>
        <a href={withQuery(href('civic', 'forms'), { skill: skill.skill_id })}>{t.civic.toForm}</a>{' '}
        {skill.requires_paths.some(({ degraded }) => degraded === true) && (
          <Badge tone="warning">{t.civic.degraded}</Badge>
        )}
      </p>
      <p class="faint">
        {skill.requires.length > 0 && (
          <>
            {t.civic.requires}:{' '}
            {skill.requires.map(({ id }) => (
              <a key={id} class="mono spaced" href={href('civic', 'skills', id)}>
                {id}
              </a>
            ))}
          </>
        )}
      </p>
      <LoadedView of={loaded} retry={loaded.refresh} rows={12}>
        {({ body }) => <Markdown text={body} showTag={showTag} />}
      </LoadedView>
    </article>
  );
}
