import type { Steps } from '../../../contract/steps.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { ToolIndex } from './tool-index.ts';

/** The tools of one server, and a signature that changes with their searchable content. */
export interface ServerTools {
  readonly server: string;
  readonly signature: string;
  readonly tools: readonly SearchableTool[];
}

/** Tools to index before yielding. */
const TOOLS_AT_ONCE = 100;

/** An index that follows a catalogue: reindexes only servers whose tools changed. */
export class FollowedIndex {
  readonly index = new ToolIndex();
  readonly #signatures = new Map<string, string>();

  /** Updates the index to the current catalogue, yielding regularly; returns the servers that were reindexed or removed. */
  *follow(servers: readonly ServerTools[]): Steps<string[]> {
    const present = new Set(servers.map(({ server }) => server));
    const gone = [...this.#signatures.keys()].filter((server) => !present.has(server));
    for (const server of gone) {
      this.index.removeServer(server);
      this.#signatures.delete(server);
    }
    const changed = servers.filter(({ server, signature }) => this.#signatures.get(server) !== signature);
    let indexed = 0;
    for (const { server, signature, tools } of changed) {
      // A partly replaced server must be reindexed if this step fails.
      this.#signatures.delete(server);
      this.index.replaceServer(server, tools);
      this.#signatures.set(server, signature);
      indexed += tools.length;
      if (indexed < TOOLS_AT_ONCE) continue;
      indexed = 0;
      yield;
    }
    return [...gone, ...changed.map(({ server }) => server)];
  }
}
