import type { Steps } from '../../../contract/steps.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { ToolIndex } from './tool-index.ts';

/** The tools of one server, and a text that differs whenever anything that is searched of them does. */
export interface ServerTools {
  readonly server: string;
  readonly signature: string;
  readonly tools: readonly SearchableTool[];
}

/** Tools that are indexed between two pauses. */
const TOOLS_AT_ONCE = 100;

/** An index that follows a catalogue: only servers whose tools changed are indexed again. */
export class FollowedIndex {
  readonly index = new ToolIndex();
  readonly #signatures = new Map<string, string>();

  /** Takes the whole catalogue as it is now, with pauses; gives the servers that were indexed again or removed. */
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
      // What is half replaced is not what it was before either.
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
