import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of CPU by process group. */
export type Spent = Readonly<Record<string, number>>;

const TICK_MS = 10;

interface Usage {
  readonly parent: number;
  readonly ownMs: number;
  /** CPU time of ended children. */
  readonly endedMs: number;
}

/** Measures the CPU time of processes from now on. */
export class CpuWatch {
  readonly #pids: Readonly<Record<string, number>>;
  readonly #parents: Readonly<Record<string, number>>;
  readonly #before: Spent;

  /** Each of `pids` counts alone; each of `parents` with all its descendants, also ended ones. */
  constructor(pids: Readonly<Record<string, number>>, parents: Readonly<Record<string, number>>) {
    this.#pids = pids;
    this.#parents = parents;
    this.#before = this.#now();
  }

  /** CPU time since the start. */
  spent(): Spent {
    return Object.fromEntries(Object.entries(this.#now()).map(([name, ms]) => [name, ms - (this.#before[name] ?? 0)]));
  }

  #now(): Spent {
    const usages = readUsages();
    const below = (pid: number): number =>
      [...usages]
        .filter(([, { parent }]) => parent === pid)
        .reduce((sum, [child, { ownMs }]) => sum + ownMs + below(child), usages.get(pid)?.endedMs ?? 0);
    return {
      ...mapValues(this.#pids, (pid) => usages.get(pid)?.ownMs ?? 0),
      ...mapValues(this.#parents, below),
    };
  }
}

function mapValues(record: Readonly<Record<string, number>>, change: (value: number) => number): Spent {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function readUsages(): Map<number, Usage> {
  const usages = new Map<number, Usage>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of a program may contain anything; the numbers follow its closing parenthesis.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ms = (at: number) => Number(fields[at]) * TICK_MS;
      usages.set(Number(name), { parent: Number(fields[1]), ownMs: ms(11) + ms(12), endedMs: ms(13) + ms(14) });
    } catch {
      // It has ended meanwhile.
    }
  }
  return usages;
}
