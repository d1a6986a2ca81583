import type { Snapshot } from '../civic/corpus/snapshot.ts';
import type { ProviderFile } from '../civic/providers/directory.ts';
import { allHealthy, type ReadDeps } from '../civic/reads/ports.ts';
import { civicReadRoom } from '../civic/reads/room.ts';
import { createHttpApp } from '../http/app.ts';
import { civicFaces } from './rooms/civic-faces.ts';

export interface ReadHandlerOptions {
  /** The prefix of every absolute address. */
  readonly base_url: string;
  readonly providers?: ProviderFile;
  readonly schemas?: ReadDeps['schemas'];
  readonly scrub_rules?: ReadDeps['scrubRules'];
  /** The version that MCP clients see. */
  readonly version?: string;
}

/**
 * The read side of a corpus as a function from request to response, for runtimes without Node: the same bytes and headers as from
 * `bindery up`.
 */
export function createReadHandler(
  snapshot: Snapshot,
  options: ReadHandlerOptions,
): (request: Request) => Promise<Response> {
  const baseUrl = options.base_url.replace(/\/+$/, '');
  const state = { ok: true, errors: [] };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const deps: ReadDeps = {
    corpus: { current: () => ({ snapshot }), state: () => state },
    providers: { directory: () => options.providers, isRemoved: () => false },
    health: allHealthy,
    schemas: options.schemas ?? {},
    scrubRules: options.scrub_rules ?? [],
    clock: { now: Date.now },
    log,
    baseUrl: () => baseUrl,
    admitRead: () => {},
    countDeprecated: () => {},
  };
  const version = options.version ?? '0.0.0';
  const newRequestId = () => crypto.randomUUID();
  const { bound, extend } = civicFaces(civicReadRoom, deps, { version, newRequestId });
  const app = createHttpApp({ rooms: [bound], version, log, newRequestId });
  extend(app, () => undefined);
  return async (request) => app.fetch(request);
}
