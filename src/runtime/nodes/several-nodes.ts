import type { Clock, Log } from '../../contract/ports.ts';
import type { EdgeAccess } from '../../proxy/http/edge-request.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { OtherNodes } from '../../proxy/nodes/other-nodes.ts';
import { ReplicatedSessions } from '../../proxy/nodes/replicated-sessions.ts';
import { isUnreachable } from '../../store/postgres/as-store-error.ts';
import { NODE_LIMITS } from '../../store/postgres/limits.ts';
import type { NodeStores } from '../../store/postgres/node-stores.ts';
import type { ClientSessions } from '../sessions/client-sessions.ts';
import { ContinuedSessions } from './continued-sessions.ts';
import { NodePasses } from './node-passes.ts';
import { OwnProcesses, type ProcessGateway } from './own-processes.ts';

export interface SeveralNodesOptions {
  readonly stores: NodeStores;
  /** The name of this node. */
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parts of a running gateway that other nodes use. */
export interface NodeGateway extends ProcessGateway {
  readonly sessions: ClientSessions;
  readonly feed: ChangeFeed;
  readonly access: { readonly verifier: { userOf(caller: string): string | undefined } | undefined };
}

/** One of several nodes that share a database. */
export class SeveralNodes {
  readonly others: OtherNodes;
  readonly passes: NodePasses;
  readonly processes: OwnProcesses;
  readonly continued: ContinuedSessions;
  readonly #options: SeveralNodesOptions;
  readonly #sessions: ReplicatedSessions;
  readonly #ending: (() => void)[] = [];
  /** The loss of the database was already logged: failures that follow from it are not logged again. */
  readonly #onError = (error: unknown): void => {
    if (!isUnreachable(error)) this.#options.log.error('the shared database could not be used', { error });
  };
  #gateway: NodeGateway | undefined;

  constructor(options: SeveralNodesOptions) {
    const { stores, node, log } = options;
    const { messages, sessions: shared, upstreams, claims } = stores;
    const { now } = options.clock;
    this.#options = options;
    const gateway = () => this.#running();
    const sessions = () => gateway().sessions.table;
    const onError = this.#onError;
    this.others = new OtherNodes({ node, sessions, held: () => gateway().sessions.held, log, now, post: messages });
    const userOf = (caller: string) => gateway().access.verifier?.userOf(caller);
    this.passes = new NodePasses({ node, keys: this.keys, userOf, now });
    this.processes = new OwnProcesses({ claims, passes: this.passes, gateway, onError });
    this.continued = new ContinuedSessions({ store: upstreams, processes: this.processes, gateway, onError });
    this.#sessions = new ReplicatedSessions({ shared, sessions, onEnd: (client) => this.continued.end(client), now });
  }

  /** The keys that all nodes sign with: the current one first. */
  get keys(): readonly Uint8Array[] {
    return this.#options.stores.keys.keys;
  }

  /** Adds access for other nodes and the requests that they forward. */
  admitting(access: EdgeAccess): EdgeAccess {
    const { others, passes, processes } = this;
    return {
      ...access,
      authenticate: (headers, profile) => passes.callerOf(headers, profile) ?? access.authenticate(headers, profile),
      nodes: {
        load: (id) => this.#sessions.load(id),
        begun: (session) => this.#sessions.begun(session),
        end: (session) => this.#sessions.end(session),
        passOn: (edge, client, request) => processes.passOn(edge, client, request),
        answer: (session, response) => others.answer(session, response),
        cancel: (session, requestId) => others.cancel(session, requestId),
      },
    };
  }

  /** Joins the other nodes. */
  async begin(gateway: NodeGateway): Promise<void> {
    this.#gateway = gateway;
    const { stores } = this.#options;
    await stores.table.join();
    const failed = this.#onError;
    const known = () => [...gateway.sessions.table.all()].map(({ claims }) => claims.s);
    this.#ending.push(
      stores.messages.receive((message) => this.others.receive(message), failed),
      this.others.forwardNotices(gateway.feed, gateway.gateway),
      stores.sessions.onEnded(known, (session) => this.#sessions.ended(session), failed),
      every(NODE_LIMITS.beatEveryMs, () => this.#beat().catch(failed)),
      every(NODE_LIMITS.upkeepEveryMs, () => this.#keep().catch(failed)),
    );
  }

  /** All nodes that share the database, including this one. */
  list() {
    return this.#options.stores.table.list();
  }

  /** This node shuts down: other nodes stop forwarding calls to it. */
  drain(): void {
    this.#options.stores.table.hide().catch(this.#onError);
  }

  async close(): Promise<void> {
    this.#stop();
    this.others.close();
    await this.#options.stores.table.leave().catch(this.#onError);
  }

  #stop(): void {
    for (const end of this.#ending.splice(0)) end();
  }

  async #beat(): Promise<void> {
    const { node, log, stores } = this.#options;
    if (!(await stores.table.beat())) {
      log.error('another process uses the name of this node; this node has left', { node });
      return this.#stop();
    }
    await this.others.hear();
    const awaited = this.others.awaited();
    if (awaited.length > 0) this.others.failAbsent(await stores.table.present(awaited));
  }

  async #keep(): Promise<void> {
    this.#sessions.expire();
    this.passes.expire();
    await this.#options.stores.reclaim();
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
