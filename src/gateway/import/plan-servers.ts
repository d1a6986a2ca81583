import canonicalize from 'canonicalize';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { GatewayAddress, SourceId } from './client-formats.ts';
import type { ClientServer } from './client-server.ts';
import { isOwn } from './own-entry.ts';
import { toServerEntry } from './to-server-entry.ts';

/** The planned action for one server of a client. */
export interface PlannedServer {
  /** The client's name for it. */
  readonly id: string;
  readonly action: 'add' | 'unchanged' | 'renamed' | 'skipped';
  /** The name in our config; null if it is skipped. */
  readonly as: string | null;
  readonly reason: string | null;
  /** The entry to write, if any. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

export interface PlanContext {
  readonly home: string;
  readonly address: GatewayAddress;
  /** The entry with absolute paths. */
  withAbsolutePaths(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Why our config would reject an entry; undefined if it would not. */
  refuse(id: string, entry: object): string | undefined;
}

/**
 * Plans the import of each server. `taken` holds the entries of our config by id, and gets the added ones too, so that several clients
 * can be planned in sequence.
 */
export function planServers(
  client: SourceId,
  servers: readonly ClientServer[],
  taken: Map<string, unknown>,
  context: PlanContext,
): PlannedServer[] {
  const before = [...taken];
  return servers
    .filter(({ id, value }) => !isOwn(id, value, context.address))
    .map(({ id, value, obstacle }): PlannedServer => {
      const skipped = (reason: string): PlannedServer => ({ id, action: 'skipped', as: null, reason });
      if (obstacle !== undefined) return skipped(obstacle);
      const { entry: translated, reason } = toServerEntry(client, value, context.home);
      if (!translated) return skipped(reason);
      const entry = context.withAbsolutePaths(translated);
      const refusal = context.refuse(cleanId(id), entry);
      if (refusal !== undefined) return skipped(refusal);
      // The same server in two clients is one server; twice in one client, it is two.
      const twin = before.find(([as, present]) => as !== cleanId(id) && isSame(present, entry))?.[0];
      if (twin !== undefined && !isSame(taken.get(cleanId(id)), entry))
        return { id, action: 'unchanged', as: twin, reason: null };
      for (const as of candidates(cleanId(id), client)) {
        const present = taken.get(as);
        if (present === undefined) {
          taken.set(as, entry);
          return { id, action: as === id ? 'add' : 'renamed', as, reason, entry };
        }
        if (isSame(present, entry)) return { id, action: 'unchanged', as, reason: null };
      }
      return skipped('no id is free');
    });
}

/** Replaces runs of other characters by `-`. */
export function cleanId(id: string): string {
  const clean = id.replaceAll(/[^a-zA-Z0-9_-]+/g, '-').slice(0, GATEWAY_LIMITS.importedIdCharsMax);
  return clean === '' ? 'server' : clean;
}

function* candidates(id: string, client: SourceId): Generator<string> {
  yield id;
  const suffixes = ['', ...Array.from({ length: 98 }, (_, index) => `-${index + 2}`)];
  for (const suffix of suffixes) {
    const ending = `-${client}${suffix}`;
    yield `${id.slice(0, GATEWAY_LIMITS.importedIdCharsMax - ending.length)}${ending}`;
  }
}

/** Whether a server of a client is the one of an entry of ours: the same program or address. */
export function isSameServer(client: SourceId, value: unknown, entry: object, home: string): boolean {
  const place = ({ transport, command, args = [], url }: Record<string, unknown>) =>
    canonicalize([transport, command, args, url]);
  const { entry: translated } = toServerEntry(client, value, home);
  return translated !== undefined && place(translated) === place({ ...entry });
}

/** Ignores whether a server is enabled, and the client's timeouts. */
function isSame(present: unknown, entry: object): boolean {
  const definition = (value: unknown) => {
    const {
      enabled: _enabled,
      startup_timeout_ms: _startup,
      request_timeout_ms: _request,
      ...members
    } = value as Record<string, unknown>;
    return canonicalize(members);
  };
  return typeof present === 'object' && present !== null && definition(present) === definition(entry);
}
