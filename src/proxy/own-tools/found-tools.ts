import { PROXY_LIMITS } from '../limits.ts';
import type { Client } from '../message/client.ts';

interface Memory {
  /** It goes from `all` to `search` only: a client that learnt to search is not confused again. */
  searched: boolean;
  readonly found: Set<string>;
}

/** What clients with a session have found, so that their listing has it. A client without one has a constant listing. */
export class FoundToolsMemory {
  readonly #memories = new Map<string, Memory>();

  /** What this client sees, given what its profile would show a new one. */
  modeFor(client: Client, mode: 'search' | 'all'): 'search' | 'all' {
    if (client.session === undefined) return mode;
    const memory = this.#memories.get(client.key);
    if (memory?.searched) return 'search';
    if (mode === 'search') this.#of(client).searched = true;
    return mode;
  }

  found(client: Client): Iterable<string> {
    return this.#memories.get(client.key)?.found ?? [];
  }

  /** True where something was added to the client's listing. */
  add(client: Client, names: readonly string[]): boolean {
    if (client.session === undefined) return false;
    const { found } = this.#of(client);
    const before = found.size;
    for (const name of names) if (found.size < PROXY_LIMITS.foundToolsMax) found.add(name);
    return found.size > before;
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  #of(client: Client): Memory {
    const memory = this.#memories.get(client.key) ?? { searched: false, found: new Set() };
    this.#memories.set(client.key, memory);
    return memory;
  }
}
