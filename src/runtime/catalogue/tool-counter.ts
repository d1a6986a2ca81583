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

export interface ToolCounterOptions {
  readonly registry: Pick<RegistryStore, 'saveTokens'>;
  readonly counts: Pick<TokenCounts, 'ofAll'>;
  readonly report: FailureReport;
  /** Makes one step towards counting: true once it can begin. */
  readonly prepare?: () => boolean;
  readonly countAfterMs?: number;
}

/** Counts what tools cost in tokens beside the calls, in small batches, so that a thousand servers do not block the event loop. */
export class ToolCounter {
  readonly #options: ToolCounterOptions;
  readonly #waiting = new Map<string, WaitingTool>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ToolCounterOptions) {
    this.#options = options;
  }

  add(tools: readonly ToolEntry[], owner: string): void {
    for (const { name, json } of tools) this.#waiting.set(`${owner}\n${name}`, { name, owner, json });
    if (this.#waiting.size === 0) return;
    clearTimeout(this.#timer);
    const { countAfterMs = UP_LIMITS.countTokensAfterMs } = this.#options;
    this.#timer = setTimeout(() => this.#countSome(), countAfterMs).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #countSome(): void {
    const { prepare = prepareTokens, report } = this.#options;
    const isKept = !prepare() || report.attempt(() => this.#count(this.#some()));
    const pauseMs = isKept ? UP_LIMITS.countTokensPauseMs : UP_LIMITS.countTokensAgainMs;
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#countSome(), pauseMs).unref() : undefined;
  }

  #count(some: readonly [string, WaitingTool][]): void {
    const { registry, counts: known } = this.#options;
    const counts = known.ofAll(some.map(([, { json }]) => json));
    registry.saveTokens(some.map(([, { name, owner }], index) => ({ name, owner, tokens: counts[index] ?? 0 })));
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
