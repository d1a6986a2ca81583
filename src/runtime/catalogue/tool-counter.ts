import type { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { type CountTokens, countTokens, prepareTokens } from '../../gateway/search/words/tokens.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import { TokenCounts } from '../../store/registry/token-counts.ts';
import { UP_LIMITS } from '../limits.ts';

interface WaitingTool {
  readonly name: string;
  readonly owner: string;
  readonly json: string;
}

export interface ToolCounterOptions {
  readonly registry: { readonly saveTokens: RegistryStore['saveTokens'] };
  readonly database: DatabaseSync;
  readonly log: Log;
  readonly count?: CountTokens;
  /** Performs one step of the preparation; true when counting can begin. */
  readonly prepare?: () => boolean;
  readonly countAfterMs?: number;
}

/** Counts the tokens of tools in the background, in small batches, so that a thousand servers do not block the event loop. */
export class ToolCounter {
  readonly counts: TokenCounts;
  readonly #options: ToolCounterOptions;
  readonly #report: FailureReport;
  readonly #waiting = new Map<string, WaitingTool>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ToolCounterOptions) {
    this.#options = options;
    this.#report = new FailureReport(options.log, {
      failing: 'cannot store token counts; they will be counted again',
      again: 'token counts are stored again',
    });
    this.counts = new TokenCounts(options.database, options.count ?? countTokens, this.#report);
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
    const { prepare = prepareTokens } = this.#options;
    const isKept = !prepare() || this.#report.attempt(() => this.#count(this.#some()));
    const pauseMs = isKept ? UP_LIMITS.countTokensPauseMs : UP_LIMITS.countTokensAgainMs;
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => this.#countSome(), pauseMs).unref() : undefined;
  }

  #count(some: readonly [string, WaitingTool][]): void {
    const counts = this.counts.ofAll(some.map(([, { json }]) => json));
    this.#options.registry.saveTokens(
      some.map(([, { name, owner }], index) => ({ name, owner, tokens: counts[index] ?? 0 })),
    );
    for (const [key] of some) this.#waiting.delete(key);
  }

  /** The next batch: as many as fit into one turn, but at least one. */
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
