import type { Branch } from './profile-tree.ts';

const WIDTH = 1_200;
const ROW = 20;
/** Width of a letter, for cutting names that do not fit. */
const LETTER = 6.6;
/** Narrower parts cannot be seen. */
const WIDTH_MIN = 1.5;

/** Colours by name prefix; the first match counts. */
const COLOURS: readonly (readonly [prefix: string, colour: string])[] = [
  ['store/', '#e8a87c'],
  ['gateway/', '#f2c879'],
  ['proxy/', '#9cc5a1'],
  ['host/', '#8fb8de'],
  ['wire/', '#b5c7e3'],
  ['contract/', '#c9bfe0'],
  ['write to a socket', '#d98c8c'],
  ['', '#cfcfcf'],
];

/** A profile as a flame graph: a row for each depth, callers above callees, each as wide as its share of the time. */
export function flameGraph(root: Branch, title: string): string {
  const rows: string[] = [];
  let depthMax = 0;
  const draw = (name: string, { us, below }: Branch, x: number, depth: number) => {
    const width = (us / root.us) * WIDTH;
    if (width < WIDTH_MIN) return;
    depthMax = Math.max(depthMax, depth);
    const y = (depth + 1) * ROW;
    const [, colour] = COLOURS.find(([prefix]) => name.startsWith(prefix)) as (typeof COLOURS)[number];
    const percent = `${((100 * us) / root.us).toFixed(1)} %`;
    rows.push(
      `<g><title>${escaped(name)}: ${percent}</title><rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colour}"/>${label(`${name} ${percent}`, x, y, width)}</g>`,
    );
    drawBelow(below, x, depth + 1);
  };
  const drawBelow = (below: Branch['below'], left: number, depth: number) => {
    let x = left;
    for (const [name, branch] of [...below].sort(([, a], [, b]) => b.us - a.us)) {
      draw(name, branch, x, depth);
      x += (branch.us / root.us) * WIDTH;
    }
  };
  drawBelow(root.below, 0, 0);
  const height = (depthMax + 2) * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11" fill="#222">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="4" y="14">${escaped(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** As much of a name as fits into its part. */
function label(text: string, x: number, y: number, width: number): string {
  const letters = Math.floor((width - 6) / LETTER);
  if (letters < 3) return '';
  const shown = text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
  return `<text x="${(x + 3).toFixed(1)}" y="${y + 14}">${escaped(shown)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
