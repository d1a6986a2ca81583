import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BinderyError } from '../../contract/errors.ts';
import { readNodePass, signNodePass } from '../../gateway/session/node-pass.ts';
import { isAloneWithCalls, type SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { Gateway } from '../../proxy/call/gateway.ts';
import type { Caller, PassableRequest } from '../../proxy/http/edge-request.ts';
import { errorBytes, idText, RpcFailure } from '../../proxy/message/answers.ts';
import type { Client, ClientRequest } from '../../proxy/message/client.ts';
import { targetServer } from '../../proxy/nodes/target-server.ts';
import type { ProcessClaims, ProcessOwner } from '../../store/postgres/process-claims.ts';
import { RPC } from '../../wire/revisions.ts';
import { canBeAsked, type Upstream } from '../../wire/upstream.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import type { GatewayConnections } from '../connections/gateway-connections.ts';
import { UP_LIMITS } from '../limits.ts';
import type { OAuthAccess } from '../users/oauth-access.ts';
import { NODE_PASS_HEADER, passToNode } from './pass-to-node.ts';

/** What of a gateway tells where a client's process is. */
export interface ProcessGateway {
  readonly gateway: Gateway;
  readonly config: EffectiveConfig;
  readonly catalogue: ServerCatalogue;
  readonly connections: GatewayConnections;
  readonly access: OAuthAccess;
}

export interface OwnProcessesOptions {
  readonly node: string;
  readonly keys: readonly Uint8Array[];
  readonly claims: ProcessClaims;
  readonly gateway: () => ProcessGateway;
  now(): number;
  onError(error: unknown): void;
}

/**
 * Own processes of clients belong to one node, and so do sessions that only one call at a time may use: calls that come to another
 * node are passed on to it, whole, before they are judged.
 */
export class OwnProcesses {
  readonly #options: OwnProcessesOptions;
  /** Servers of which clients have processes here although another node has them too, and which. */
  readonly #unshared = new Map<string, string>();
  /** Passes that were used, until they would be out of date anyway. */
  readonly #used = new Map<string, number>();
  /** The users behind callers whose tokens only other nodes have seen. */
  readonly #users = new Map<string, string>();
  /** Requests that other nodes serve for clients of this one. */
  passing = 0;

  constructor(options: OwnProcessesOptions) {
    this.#options = options;
  }

  /** Passes a request on where another node has the client's process; false where it is to be served here. */
  async passOn(edge: PassableRequest, client: Client, request: ClientRequest): Promise<boolean> {
    // What was passed on once is served: two nodes must not send a call to and fro.
    if (edge.caller.fromNode !== undefined) return false;
    const server = this.#ownServer(client, request);
    const owner = server === undefined ? undefined : await this.#owner(server, client.key);
    if (server === undefined || !owner) return false;
    if (owner.url === null) {
      this.#unshared.set(server, owner.node);
      return false;
    }
    await this.#pass(edge, request, owner.node, owner.url);
    return true;
  }

  /** The caller that another node's pass names; undefined without a pass. Throws where the pass is not valid. */
  callerOf(headers: IncomingHttpHeaders, profile: string): Caller | undefined {
    const text = headers[NODE_PASS_HEADER];
    if (text === undefined) return undefined;
    const { keys, now } = this.#options;
    const pass = typeof text === 'string' ? readNodePass(text, keys, now()) : undefined;
    if (!pass || pass.profile !== profile || this.#used.has(pass.nonce))
      throw new RpcFailure(RPC.invalidRequest, 'The word of a node is not good', { httpStatus: 401 });
    this.#used.set(pass.nonce, pass.expiresAt);
    if (pass.user !== undefined) this.#remember(pass.caller, pass.user);
    return { name: pass.caller, fromNode: pass.from };
  }

  /** The user behind a caller, by a pass of another node. */
  userOf(caller: string): string | undefined {
    return this.#users.get(caller);
  }

  /** A process, or a session, that belongs to this node until the client's last one ends. */
  claimed(server: string, { key }: SharingClient, upstream: Upstream): Upstream {
    const { claims, gateway, onError } = this.#options;
    upstream.on('end', () => {
      const others = gateway().connections.clients.open({ key });
      if (!others.some((own) => own.server === server && own.upstream !== upstream))
        claims.release(server, key).catch(onError);
    });
    return upstream;
  }

  /** What people are told of a server whose processes are not where the other nodes' are. */
  reasonOf(server: string): string | undefined {
    const node = this.#unshared.get(server);
    if (node === undefined || this.#options.gateway().connections.clients.count(server) === 0) return undefined;
    return `clients have processes or sessions here, beside those of node "${node}", which has no --advertise`;
  }

  /** Forgets passes that are out of date. */
  expire(): void {
    const now = this.#options.now();
    for (const [nonce, expiresAt] of this.#used) if (expiresAt <= now) this.#used.delete(nonce);
  }

  #remember(caller: string, user: string): void {
    this.#users.delete(caller);
    this.#users.set(caller, user);
    const [oldest] = this.#users.keys();
    if (this.#users.size > UP_LIMITS.nodeUsersMax) this.#users.delete(oldest as string);
  }

  /** The server of a request for which this client needs a process, or a session, that cannot be shared, and has none here. */
  #ownServer(client: Client, request: ClientRequest): string | undefined {
    const { gateway, config, catalogue, connections } = this.#options.gateway();
    const server = targetServer(gateway, client, request);
    const entry = server === undefined ? undefined : config.find(server);
    if (server === undefined || !entry?.spec) return undefined;
    const sharing = entry.configured.entry?.sharing ?? 'auto';
    if (sharing === 'shared' || (sharing === 'auto' && catalogue.offer(server)?.era === '2026')) return undefined;
    const needsOwn =
      entry.spec.transport === 'stdio'
        ? sharing === 'session' || canBeAsked(client)
        : isAloneWithCalls(client, sharing) && connections.host.liveOf(server)?.sessionBound !== false;
    if (!needsOwn) return undefined;
    return gateway.ports.connections.open(client).some((own) => own.server === server) ? undefined : server;
  }

  /** While the database is unreachable the owner is unknown: the client gets a process here, so that plain calls go on. */
  async #owner(server: string, client: string): Promise<ProcessOwner | undefined> {
    try {
      return await this.#options.claims.claim(server, client);
    } catch (thrown) {
      if (thrown instanceof BinderyError && thrown.code === 'STORE_UNAVAILABLE') return undefined;
      throw thrown;
    }
  }

  async #pass(
    { request, response, profile, caller }: PassableRequest,
    message: ClientRequest,
    node: string,
    base: string,
  ) {
    const { keys, now } = this.#options;
    const user = this.#options.gateway().access.verifier?.userOf(caller.name);
    const whose = { caller: caller.name, user, profile };
    const pass = { from: this.#options.node, ...whose, nonce: randomUUID(), expiresAt: now() + UP_LIMITS.nodePassMs };
    const path = profile === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(profile)}`;
    this.passing += 1;
    try {
      const url = new URL(`${base.replace(/\/$/, '')}${path}`);
      const signed = signNodePass(pass, keys[0] as Uint8Array);
      if (await passToNode({ request, response, body: message.bytes, url, pass: signed })) return;
    } finally {
      this.passing -= 1;
    }
    const text = `INTERRUPTED: The node "${node}", which has this client’s process, cannot be reached. Call again.`;
    const body = errorBytes(idText(message), RPC.internalError, text, { code: 'INTERRUPTED' });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  }
}
