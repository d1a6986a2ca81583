import type { Verdict } from './examine-fault.ts';
import type { Mutant } from './operators.ts';

/** A sampled fault of an area and its result. */
export interface Sampled {
  readonly area: string;
  readonly mutant: Mutant;
  readonly verdict: Verdict | { readonly kind: 'equivalent'; readonly reason: string };
}

/** The table of scores, the survivors, and the faults that were not counted, with reasons. */
export function scoreTable(sampled: readonly Sampled[]): string {
  const areas = [...new Set(sampled.map(({ area }) => area))];
  const rows = areas.map((area) =>
    row(
      area,
      sampled.filter((entry) => entry.area === area),
    ),
  );
  return [
    '| area | sampled | equivalent | noticed | survived | score |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
    row('all', sampled),
    '',
    ...sampled.flatMap(remark),
  ].join('\n');
}

export function describeFault({ file, line, operator, from, to }: Mutant): string {
  return `${file}:${line} ${operator}: ${short(from)} → ${short(to)}`;
}

function row(name: string, sampled: readonly Sampled[]): string {
  const count = (kind: Sampled['verdict']['kind']) => sampled.filter(({ verdict }) => verdict.kind === kind).length;
  const relevant = sampled.length - count('equivalent');
  const score = relevant === 0 ? '–' : `${Math.floor((count('noticed') / relevant) * 100)} %`;
  return `| ${[name, sampled.length, count('equivalent'), count('noticed'), count('survived'), score].join(' | ')} |`;
}

function remark({ mutant, verdict }: Sampled): string[] {
  if (verdict.kind === 'survived') return [`survived: ${describeFault(mutant)}`];
  return verdict.kind === 'equivalent' ? [`equivalent: ${describeFault(mutant)}: ${verdict.reason}`] : [];
}

function short(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
