import type { FailureReport } from '../../contract/failure-report.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { prepareTokens } from '../../gateway/search/words/tokens.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import type { TokenCounts } from '../../store/registry/token-counts.ts';
import { UP_LIMITS } from '../limits.ts';

interface WaitingTool {
  readonly name: string;
  readonly owner: string;
  readonly json: string;
}

/** Counts what tools cost in tokens beside the calls, some at a time: who learns a thousand servers is not held up by it. */
export class ToolCounter {
  readonly #registry: Pick<RegistryStore, 'saveTokens'>;
  readonly #counts: Pick<TokenCounts, 'ofAll'>;
  readonly #report: FailureReport;
  readonly #waiting = new Map<string, WaitingTool>();
  readonly #prepare: () => boolean;
  readonly #countAfterMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    registry: Pick<RegistryStore, 'saveTokens'>,
    counts: Pick<TokenCounts, 'ofAll'>,
    report: FailureReport,
    prepare: () => boolean = prepareTokens,
    countAfterMs: number = UP_LIMITS.countTokensAfterMs,
  ) {
    this.#registry = registry;
    this.#counts = counts;
    this.#report = report;
    this.#prepare = prepare;
    this.#countAfterMs = countAfterMs;
  }

  add(tools: readonly ToolEntry[], owner: string): void {
    for (const { name, json } of tools) this.#waiting.set(`${owner}\n${name}`, { name, owner, json });
    if (this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#countSome(), this.#countAfterMs).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #countSome(): void {
    const isKept = !this.#prepare() || this.#report.attempt(() => this.#count(this.#some()));
    const pauseMs = isKept ? UP_LIMITS.countTokensPauseMs : UP_LIMITS.countTokensAgainMs;
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#countSome(), pauseMs).unref() : undefined;
  }

  #count(some: readonly [string, WaitingTool][]): void {
    const counts = this.#counts.ofAll(some.map(([, { json }]) => json));
    this.#registry.saveTokens(some.map(([, { name, owner }], index) => ({ name, owner, tokens: counts[index] ?? 0 })));
    for (const [key] of some) this.#waiting.delete(key);
  }

  /** The first that wait: as many as are counted in one turn, but one at least. */
  #some(): [string, WaitingTool][] {
    const some: [string, WaitingTool][] = [];
    let chars = 0;
    for (const waiting of this.#waiting) {
      chars += waiting[1].json.length;
      if (some.length > 0 && chars > UP_LIMITS.countTokensCharsAtOnce) break;
      some.push(waiting);
      if (some.length === UP_LIMITS.countTokensToolsAtOnce) break;
    }
    return some;
  }
}
