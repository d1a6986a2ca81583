import type { RowChange, RowsForWriter, SharedRow } from '../shared-rows.ts';

/** `SharedRows` in memory, for tests that decide when a node ships and pulls. */
export class MemoryRows {
  readonly #rows = new Map<string, SharedRow>();
  #version = 0;

  async since(version: number): Promise<SharedRow[]> {
    return [...this.#rows.values()]
      .filter((row) => row.version > version)
      .sort((a, b) => a.version - b.version)
      .map((row) => structuredClone(row));
  }

  write<T>(work: (rows: RowsForWriter) => Promise<T>): Promise<T> {
    return work({
      find: async (part, key) => this.#rows.get(`${part} ${key}`)?.content ?? undefined,
      since: (version) => this.since(version),
      ofRegistration: async (id) => [...this.#rows.values()].filter(({ content }) => content?.registration === id),
      put: async (changes) => {
        for (const change of changes) this.#put(change);
      },
    });
  }

  #put({ part, key, content }: RowChange): void {
    const place = `${part} ${key}`;
    if (JSON.stringify(this.#rows.get(place)?.content ?? null) === JSON.stringify(content)) return;
    this.#version += 1;
    this.#rows.set(place, { part, key, content: structuredClone(content), version: this.#version, writer: '' });
  }
}
