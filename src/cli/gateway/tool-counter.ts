import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import type { TokenCounts } from '../../store/registry/token-counts.ts';
import { UP_LIMITS } from '../limits.ts';

/** Counts what tools cost in tokens beside the calls, some at a time: who learns a thousand servers is not held up by it. */
export class ToolCounter {
  readonly #registry: Pick<RegistryStore, 'saveTokens'>;
  readonly #counts: Pick<TokenCounts, 'ofAll'>;
  readonly #waiting = new Map<string, { readonly name: string; readonly owner: string; readonly json: string }>();
  readonly #countAfterMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    registry: Pick<RegistryStore, 'saveTokens'>,
    counts: Pick<TokenCounts, 'ofAll'>,
    countAfterMs: number = UP_LIMITS.countTokensAfterMs,
  ) {
    this.#registry = registry;
    this.#counts = counts;
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
    const some = [...this.#waiting].slice(0, UP_LIMITS.countTokensToolsAtOnce);
    const counts = this.#counts.ofAll(some.map(([, { json }]) => json));
    this.#registry.saveTokens(some.map(([, { name, owner }], index) => ({ name, owner, tokens: counts[index] ?? 0 })));
    for (const [key] of some) this.#waiting.delete(key);
    this.#timer =
      this.#waiting.size > 0 ? setTimeout(() => this.#countSome(), UP_LIMITS.countTokensPauseMs).unref() : undefined;
  }
}
