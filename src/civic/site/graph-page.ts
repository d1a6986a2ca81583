import type { SnapshotSkill } from '../corpus/snapshot.ts';
import { escapeHtml } from '../forms/render-form.ts';
import type { PageFrame } from './layout.ts';
import { titled } from './other-pages.ts';
import { STATUS_WORDS } from './texts.ts';

const BOX = { width: 380, height: 30, gapX: 70, gapY: 12, margin: 20 } as const;
/** Wide enough for the regions at the end of titles. */
const TITLE_CHARS = 48;

interface Placed {
  readonly skill: SnapshotSkill;
  readonly x: number;
  readonly y: number;
}

/** Which procedure needs which: a drawing from left to right, and the same as a list. */
export function graphPage(frame: PageFrame): string {
  const { skills } = frame.site.corpus.snapshot;
  const placed = place(skills);
  const width = Math.max(0, ...[...placed.values()].map(({ x }) => x)) + BOX.width + BOX.margin;
  const height = Math.max(0, ...[...placed.values()].map(({ y }) => y)) + BOX.height + BOX.margin;
  const edges = skills.flatMap((skill) => skill.requires.map(({ id }) => edge(placed.get(id), placed.get(skill.id))));
  const boxes = [...placed.values()].map((one) => box(frame, one));
  const drawing = `<figure tabindex="0" role="group" aria-label="${frame.text('graph')}" dir="ltr"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${edges.join('')}${boxes.join('')}</svg></figure>\n`;
  const rows = skills
    .filter(({ requires }) => requires.length > 0)
    .map(({ id, title, requires }) => {
      const needed = requires.map((one) => frame.link(`skills/${one.id}.html`, titleOf(skills, one.id))).join(', ');
      return `<tr><td>${frame.link(`skills/${id}.html`, title)}</td><td>${needed}</td></tr>`;
    });
  const table = `<table><thead><tr><th>${frame.text('skills')}</th><th>${frame.text('requires')}</th></tr></thead><tbody>${rows.join('')}</tbody></table>\n`;
  return titled(frame, 'graph', `${drawing}${table}`);
}

/** Columns by depth, rows by category and title. The checks guarantee that there are no cycles. */
function place(skills: readonly SnapshotSkill[]): ReadonlyMap<string, Placed> {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const depths = new Map<string, number>();
  const depth = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    depths.set(id, 0);
    const found = Math.max(-1, ...(byId.get(id)?.requires ?? []).map((one) => depth(one.id))) + 1;
    depths.set(id, found);
    return found;
  };
  const columns = Map.groupBy(skills, ({ id }) => depth(id));
  const placed = new Map<string, Placed>();
  for (const [column, list] of columns) {
    const sorted = [...list].sort((a, b) => compare(a.category, b.category) || compare(a.title, b.title));
    for (const [row, skill] of sorted.entries()) {
      const x = BOX.margin + column * (BOX.width + BOX.gapX);
      placed.set(skill.id, { skill, x, y: BOX.margin + row * (BOX.height + BOX.gapY) });
    }
  }
  return placed;
}

function box(frame: PageFrame, { skill, x, y }: Placed): string {
  const { id, title, status } = skill;
  const short = title.length > TITLE_CHARS ? `${title.slice(0, TITLE_CHARS - 1)}…` : title;
  return `<a href="${frame.to(`skills/${id}.html`)}"><title>${escapeHtml(title)}</title><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5"/><text x="${x + 10}" y="${y + 20}">${STATUS_WORDS[status]?.sign ?? ''} ${escapeHtml(short)}</text></a>`;
}

function edge(from: Placed | undefined, to: Placed | undefined): string {
  if (!from || !to) return '';
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  return `<path d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`;
}

function titleOf(skills: readonly SnapshotSkill[], id: string): string {
  return skills.find((skill) => skill.id === id)?.title ?? id;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
