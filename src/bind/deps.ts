import type { Clock } from '../contract/ports.ts';
import type { Answers, Signing } from './answers.ts';
import type { Registry } from './registry.ts';
import type { WritePolicy, ZoneWriter } from './write-zone.ts';
import type { ZoneSource } from './zone.ts';

/** The dependencies of the room's operations. */
export interface BindDeps {
  readonly zones: ZoneSource;
  readonly writer: ZoneWriter;
  readonly answers: Answers;
  readonly policy: WritePolicy;
  readonly clock: Clock;
  /** The zones as an MCP registry names them. */
  readonly registry: Registry;
  /** The entries of another registry: at a URL, or in a file. */
  registryServers(
    source: string,
    search: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Readonly<Record<string, unknown>>>;
  /** The current signing keys. */
  readonly signing?: (() => Signing | undefined) | undefined;
}
