import { BinderyError } from '../../contract/errors.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { isAloneWithCalls, type SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { EdgeAccess } from '../../proxy/http/edge-request.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import type { Client } from '../../proxy/message/client.ts';
import { MetSessions } from '../../proxy/nodes/met-sessions.ts';
import type { NodeMessage } from '../../proxy/nodes/node-message.ts';
import { noticesForOthers, OtherNodes } from '../../proxy/nodes/other-nodes.ts';
import type { SessionStore } from '../../proxy/sessions/session-table.ts';
import { NODE_LIMITS } from '../../store/postgres/limits.ts';
import { NodeStores } from '../../store/postgres/node-stores.ts';
import type { Database } from '../../store/postgres/open-database.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import type { KeptSession, Upstream } from '../../wire/upstream.ts';
import { endpointOf } from '../config/effective-server.ts';
import { credentialKeys } from '../config/private-file.ts';
import { UP_LIMITS } from '../limits.ts';
import type { ClientSessions } from '../sessions/client-sessions.ts';
import { ContinuedSessions } from './continued-sessions.ts';
import { OwnProcesses, type ProcessGateway } from './own-processes.ts';

export interface SeveralNodesOptions {
  /** The database that the nodes share; whoever opened it closes it. */
  readonly database: Database;
  /** The name of this node. */
  readonly node: string;
  /** Where other nodes reach this one; undefined: they do not. */
  readonly advertise: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What of a running gateway other nodes have a part in. */
export interface NodeGateway extends ProcessGateway {
  readonly sessions: ClientSessions;
  readonly stores: { readonly registry: RegistryStore };
  readonly feed: ChangeFeed;
}

/** One node of several that share a database: what it has of the others, and what they have of it. */
export class SeveralNodes {
  readonly others: OtherNodes;
  readonly #options: SeveralNodesOptions;
  readonly #stores: NodeStores;
  readonly #met: MetSessions;
  readonly #ending: (() => void)[] = [];
  readonly #continued: ContinuedSessions;
  readonly processes: OwnProcesses;
  #gateway: NodeGateway | undefined;

  private constructor(options: SeveralNodesOptions, stores: NodeStores) {
    const { database, node, clock, log } = options;
    const { messages, sessions: shared, upstreams, claims, keys } = stores;
    this.#options = options;
    this.#stores = stores;
    const sessions = () => this.#running().sessions.table;
    this.others = new OtherNodes({
      node,
      sessions,
      held: () => this.#running().sessions.held,
      log,
      now: clock.now,
      post: {
        send: (to, message) => messages.send(to, message),
        reply: (to, message) => messages.reply(to, message),
        tell: (message) => messages.tell(message),
        take: () => messages.take(),
        keptMs: NODE_LIMITS.messageMs,
        whenReachable: () => database.whenReachable(),
      },
    });
    const local: SessionStore = {
      session: (session) => this.#running().stores.registry.session(session),
      saveSession: (session, expiresAt, row) => this.#running().stores.registry.saveSession(session, expiresAt, row),
      evictedThrough: (caller) => this.#running().stores.registry.evictedThrough(caller),
    };
    this.#continued = new ContinuedSessions({
      store: upstreams,
      whenReachable: () => database.whenReachable(),
      onError: (error) => this.#note(error),
    });
    this.processes = new OwnProcesses({
      node,
      keys: keys.keys,
      claims,
      gateway: () => this.#running(),
      now: clock.now,
      onError: (error) => this.#note(error),
    });
    const onEnd = (client: Client) => this.#endUpstream(client);
    this.#met = new MetSessions({ shared, local, sessions, onEnd, now: clock.now });
  }

  /** Throws `NODE_KEY_DIFFERS` where this node has another key file than those before it. */
  static async open(options: SeveralNodesOptions): Promise<SeveralNodes> {
    const { database, node: name, advertise: url, dataDir } = options;
    return new SeveralNodes(options, await NodeStores.open(database, credentialKeys(dataDir), { name, url }));
  }

  /** The keys that every node signs with: the present one first. */
  get keys(): readonly Uint8Array[] {
    return this.#stores.keys.keys;
  }

  /** Admits other nodes with what they pass on, besides callers with their credentials. */
  admitting(access: EdgeAccess): EdgeAccess {
    const { others, processes } = this;
    return {
      ...access,
      authenticate: (headers, profile) => processes.callerOf(headers, profile) ?? access.authenticate(headers, profile),
      nodes: {
        meet: (id) => this.#met.meet(id),
        begun: (session) => this.#met.begun(session),
        end: (session) => this.#met.end(session),
        passOn: (edge, client, request) => processes.passOn(edge, client, request),
        answer: (session, response) => others.answer(session, response),
        cancel: (session, requestId) => others.cancel(session, requestId),
      },
    };
  }

  /** Opens a connection for one client alone; other nodes go on with its session, or pass calls on to it. */
  openOwn(
    server: string,
    client: SharingClient,
    connect: (kept?: KeptSession) => Promise<Upstream>,
  ): Promise<Upstream> {
    const effective = this.#running().config.find(server);
    if (effective?.spec?.transport === 'stdio' || isAloneWithCalls(client, effective?.configured.entry?.sharing))
      return connect().then((upstream) => this.processes.claimed(server, client, upstream));
    const place = { server, client: client.key, endpoint: endpointOf(effective) };
    return this.#continued.open(place, client, connect);
  }

  /** Joins the other nodes. */
  async begin(gateway: NodeGateway): Promise<void> {
    this.#gateway = gateway;
    await this.#stores.table.join();
    const failed = (error: unknown) => this.#note(error);
    const known = () => [...gateway.sessions.table.all()].map(({ claims }) => claims.s);
    this.#ending.push(
      this.#stores.messages.receive((message) => this.others.receive(message as NodeMessage), failed),
      noticesForOthers({
        feed: gateway.feed,
        sessions: gateway.sessions.table,
        gateway: gateway.gateway,
        tell: (session, message) => this.others.notice(session, message),
      }),
      this.#stores.sessions.onEnded(known, (session) => this.#met.ended(session), failed),
      every(NODE_LIMITS.beatEveryMs, () => this.#beat().catch(failed)),
      every(UP_LIMITS.nodeUpkeepEveryMs, () => this.#keep().catch(failed)),
    );
  }

  /** Every node that shares the database, this one included. */
  list() {
    return this.#stores.table.list();
  }

  /** This node ends soon: no other passes a call on to it any more. */
  drain(): void {
    this.#stores.table.hide().catch((error: unknown) => this.#note(error));
  }

  async close(): Promise<void> {
    this.#stop();
    this.others.close();
    await this.#stores.table.leave().catch((error: unknown) => this.#note(error));
  }

  #stop(): void {
    for (const end of this.#ending.splice(0)) end();
  }

  async #beat(): Promise<void> {
    const { node, log } = this.#options;
    if (!(await this.#stores.table.beat())) {
      log.error('another process uses the name of this node; this node has left', { node });
      return this.#stop();
    }
    await this.others.hear();
    const awaited = this.others.awaited();
    if (awaited.length > 0) this.others.keepWaitingFor(await this.#stores.table.present(awaited));
  }

  async #keep(): Promise<void> {
    this.#met.expire();
    this.processes.expire();
    await this.#stores.reclaim();
  }

  /** The loss of the database was logged when it began: failures that follow from it are not logged again. */
  #note(error: unknown): void {
    if (error instanceof BinderyError && error.code === 'STORE_UNAVAILABLE') return;
    this.#options.log.error('the shared database could not be used', { error });
  }

  /** Sessions at servers outlive connections to them, but not the client's session that they are of. */
  #endUpstream(client: Client): void {
    const open = this.#running().gateway.ports.connections.open(client);
    for (const { upstream } of open) upstream.keepSession(false);
    this.#stores.upstreams.remove(client.key).catch((error: unknown) => this.#note(error));
  }

  #running(): NodeGateway {
    if (!this.#gateway) throw new Error('the node has not begun');
    return this.#gateway;
  }
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
}
