import { otherToolNames, toolNamePrefix } from '../../contract/tool-names.ts';
import { sha256Hex } from '../audit/chain.ts';
import type { ProfileNames } from './public-catalogue.ts';
import type { ServerOffer } from './server-offer.ts';

export interface NameClaimsOptions {
  readonly names: ProfileNames;
  /** All configured servers, also those that are off, fail, or are not in the profile. */
  readonly servers: Iterable<string>;
  /** The last known offers of servers that are off at present. */
  readonly absent: readonly ServerOffer[];
}

/**
 * Which servers a tool's name belongs to: a name that begins like the public names of a server is that server's alone, even while it is
 * away or lacks the tool. Otherwise another server could list a tool of that whole name and get its calls, past the rules for them.
 */
export class NameClaims {
  readonly #byPrefix = new Map<string, string[]>();
  readonly #byName = new Map<string, string>();
  readonly #lengths: readonly number[];

  constructor({ names, servers, absent }: NameClaimsOptions) {
    // The names of a bare profile are those of its only server.
    if (names !== 'bare') {
      for (const server of servers) {
        const prefixes = new Set([toolNamePrefix(server, 'qualified'), toolNamePrefix(server, names)]);
        for (const prefix of prefixes) this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), server]);
      }
      for (const { server, tools } of absent)
        for (const { definition } of tools)
          for (const name of otherToolNames(server, definition.name, sha256Hex)) this.#byName.set(name, server);
    }
    this.#lengths = [...new Set([...this.#byPrefix.keys()].map(({ length }) => length))];
  }

  /** The servers that a name belongs to: several if one id begins like another, and none for a plain name. */
  ownersOf(name: string): string[] {
    const exact = this.#byName.get(name);
    const owners = this.#lengths.flatMap((length) => this.#byPrefix.get(name.slice(0, length)) ?? []);
    return exact === undefined || owners.includes(exact) ? owners : [exact, ...owners];
  }
}
