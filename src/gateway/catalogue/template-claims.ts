import type { Claim } from './claims.ts';
import { literalStart } from './uri-template.ts';

export interface TemplateClaim extends Claim {
  readonly template: string;
  readonly matches: (uri: string) => boolean;
}

interface Ranked {
  readonly claim: TemplateClaim;
  readonly rank: number;
}

/** The templates of all servers by the text that they begin with, so that a URI is compared with few of them. */
export class TemplateClaims {
  readonly #byStart = new Map<string, Ranked[]>();
  readonly #startLengths: readonly number[];

  /** In the order in which claims win. */
  constructor(claims: readonly TemplateClaim[]) {
    for (const [rank, claim] of claims.entries()) {
      const start = literalStart(claim.template);
      const group = this.#byStart.get(start);
      if (group) group.push({ claim, rank });
      else this.#byStart.set(start, [{ claim, rank }]);
    }
    this.#startLengths = [...new Set([...this.#byStart.keys()].map((start) => start.length))];
  }

  /** The claims whose templates begin as the text does, in the order in which they win. */
  candidates(text: string): TemplateClaim[] {
    const groups = this.#startLengths.flatMap((length) =>
      length > text.length ? [] : (this.#byStart.get(text.slice(0, length)) ?? []),
    );
    return groups.sort((a, b) => a.rank - b.rank).map(({ claim }) => claim);
  }
}
