import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import type { ServerState, SharedHealth } from '../../store/postgres/shared/shared-health.ts';
import type { ServerManifest } from '../../store/registry/registered-servers.ts';
import type { RegistryStore, ServerRow, ToolApproval } from '../../store/registry/registry-store.ts';
import { type ServerFacts, serverItem } from '../admin/server-item.ts';
import { UP_LIMITS } from '../limits.ts';
import { asksPerson } from '../policy/policy-in-force.ts';

/** The sources of the registry's rows. */
export interface RegistryFacts extends ServerFacts {
  readonly stores: { readonly registry: RegistryStore; readonly approvals: ApprovalStore };
  readonly policy: { layers(profile: string): readonly PolicyLayer[] };
  readonly feed: ChangeFeed;
  /** Absent if this node is the only one. */
  readonly shared?: { readonly health: SharedHealth | undefined } | undefined;
}

export interface RegistryWriterOptions {
  /** Whether unknown servers may be removed from the registry. False if other gateways use the same registry. */
  readonly isOwner: boolean;
  readonly log: Log;
  now(): number;
}

const DAY_MS = 86_400_000;

/**
 * Writes the state of servers and tools to the registry for its readers: shortly after a change, and periodically. A failed write is
 * repeated with the next one.
 */
export class RegistryWriter {
  readonly #facts: RegistryFacts;
  readonly #options: RegistryWriterOptions;
  readonly #report: FailureReport;
  readonly #approvals: ApprovalColumn;
  /** Servers with outdated rows; undefined: all. */
  #stale: Set<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(facts: RegistryFacts, options: RegistryWriterOptions) {
    this.#facts = facts;
    this.#options = options;
    this.#approvals = new ApprovalColumn(facts.stores.registry, facts.policy);
    this.#report = new FailureReport(options.log, {
      failing: 'the registry cannot be written',
      again: 'the registry is written again',
    });
  }

  begin(): void {
    this.#facts.connections.host.on('status', ({ id }: { id: string }) => {
      this.#stale?.add(id);
      this.#writeSoon();
    });
    this.#facts.feed.on('changed', () => this.#writeSoon());
  }

  /** Servers were added, removed or changed. */
  serversChanged(): void {
    this.#stale = undefined;
    this.#writeSoon();
  }

  /** Writes everything now and deletes old rows, in one transaction; returns whether that succeeded. */
  keep(): boolean {
    this.#stale = undefined;
    return this.#report.attempt(() =>
      this.#facts.stores.registry.together(() => {
        this.#reclaim();
        this.#write();
      }),
    );
  }

  /** The gateway shuts down: marks its servers as stopped. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#approvals.end();
    if (this.#options.isOwner) this.#report.attempt(() => this.#facts.stores.registry.noteAllStopped());
  }

  #writeSoon(): void {
    if (this.#isEnded) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#report.attempt(() => this.#write());
    }, UP_LIMITS.noteServersAfterMs).unref();
  }

  #write(): void {
    const { stores, servers, shared } = this.#facts;
    const { registry } = stores;
    const ids = servers.ids();
    const stale = this.#stale;
    this.#tellNodes(
      ids.filter((id) => stale?.has(id) ?? true),
      stale === undefined,
    );
    registry.together(() => {
      // With shared state the address is written only on connect: nodes with different addresses would keep overwriting each other.
      registry.noteServers(
        ids.filter((id) => stale?.has(id) ?? true).map((id) => this.#rowOf(id)),
        { keepsAddress: shared !== undefined },
      );
      // With shared state another node may serve servers that this one does not know.
      if (stale === undefined && this.#options.isOwner && !shared) registry.noteNoOthers(ids);
    });
    this.#stale = new Set();
    this.#approvals.follow();
  }

  #rowOf(id: string): ServerRow {
    const { status, last_health_check, transport } = serverItem(this.#facts, id);
    if (this.#facts.servers.builtins.has(id))
      return { name: id, endpoint: `builtin:${id}`, transport: 'stdio', status, isServed: true };
    return {
      name: id,
      endpoint: this.#facts.config.placeOf(id)?.endpoint ?? '',
      transport: transport === 'http' || transport === 'sse' ? transport : 'stdio',
      status,
      lastHealthCheck: last_health_check ?? undefined,
      isServed: this.#isServed(id),
      metadata: metadataOf(this.#facts.config.find(id)?.manifest),
    };
  }

  /** Reports server states to the other nodes, and loads theirs. */
  #tellNodes(ids: readonly string[], isAll: boolean): void {
    const health = this.#facts.shared?.health;
    if (!health) return;
    const states = ids.filter((id) => this.#isServed(id)).map((id) => this.#stateOf(id));
    if (states.length === 0 && !isAll) return;
    const told = Promise.all([health.report(states, isAll), isAll ? health.refresh() : undefined]);
    told.catch((error: unknown) =>
      this.#options.log.debug('server states are delayed: the database is unavailable', { error }),
    );
  }

  #stateOf(server: string): ServerState {
    const { status, state, last_error, last_health_check: lastHealthCheck } = serverItem(this.#facts, server);
    const isOwnFinding = state === 'error' && this.#facts.connections.host.statusOf(server)?.isReportedByPeer !== true;
    return { server, status, error: isOwnFinding ? (last_error ?? 'it failed') : null, lastHealthCheck };
  }

  #isServed(id: string): boolean {
    return this.#facts.servers.builtins.has(id) || this.#facts.config.find(id)?.spec !== undefined;
  }

  #reclaim(): void {
    const { stores, config, shared } = this.#facts;
    const now = this.#options.now();
    stores.registry.reclaimSessions(now);
    // A single node must not delete shared rows.
    if (!shared)
      stores.approvals.reclaim(new Date(now).toISOString(), keptSince(config.settings.audit?.retention_days, now));
  }
}

function metadataOf(manifest: ServerManifest | undefined): Readonly<Record<string, unknown>> | undefined {
  if (manifest === undefined) return undefined;
  const { version, metadata } = manifest;
  return { ...metadata, ...(version === undefined ? {} : { version }) };
}

/** Questions are kept as long as audit records; undefined: forever. */
function keptSince(days: number | undefined, now: number): string | undefined {
  return days === undefined ? undefined : new Date(now - days * DAY_MS).toISOString();
}

/**
 * Keeps `tool_registry.approval_required` in line with the policy of the default profile. A new policy is applied in batches: judging
 * twenty thousand tools takes a quarter of a second.
 */
export class ApprovalColumn {
  readonly #registry: RegistryStore;
  readonly #policy: { layers(profile: string): readonly PolicyLayer[] };
  #layers: readonly PolicyLayer[] | undefined;
  #waiting: ToolApproval[] = [];
  #next: NodeJS.Immediate | undefined;

  constructor(registry: RegistryStore, policy: { layers(profile: string): readonly PolicyLayer[] }) {
    this.#registry = registry;
    this.#policy = policy;
  }

  /** Judges all tools if the policy has changed. */
  follow(): void {
    const layers = this.#policy.layers('default');
    const before = this.#layers;
    if (before?.length === layers.length && before.every((layer, index) => layer === layers[index])) return;
    this.#waiting = this.#registry.judgedTools();
    this.#layers = layers;
    this.#judgeSome();
  }

  end(): void {
    this.#waiting = [];
    if (this.#next) clearImmediate(this.#next);
  }

  #judgeSome(): void {
    const layers = this.#layers ?? [];
    const some = this.#waiting.splice(0, UP_LIMITS.judgeToolsAtOnce);
    const changed = some
      .map((item) => ({ ...item, approvalRequired: asksPerson(layers, item) }))
      .filter(({ approvalRequired }, index) => approvalRequired !== some[index]?.approvalRequired);
    try {
      if (changed.length > 0) this.#registry.setApproval(changed);
    } catch (thrown) {
      // Judge again at the next refresh.
      this.#layers = undefined;
      throw thrown;
    }
    if (this.#waiting.length > 0) this.#next = setImmediate(() => this.#judgeSome());
  }
}
