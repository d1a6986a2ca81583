import { isAloneWithCalls, type SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { Gateway } from '../../proxy/call/gateway.ts';
import type { PassableRequest } from '../../proxy/http/edge-request.ts';
import type { Client, ClientRequest } from '../../proxy/message/client.ts';
import { targetServer } from '../../proxy/nodes/target-server.ts';
import { ifReachable } from '../../store/postgres/as-store-error.ts';
import type { ProcessClaims } from '../../store/postgres/process-claims.ts';
import { canBeAsked, type Upstream } from '../../wire/upstream.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import type { GatewayConnections } from '../connections/gateway-connections.ts';
import type { NodePasses } from './node-passes.ts';

/** The parts of a gateway that locate a client's process. */
export interface ProcessGateway {
  readonly gateway: Gateway;
  readonly config: EffectiveConfig;
  readonly catalogue: ServerCatalogue;
  readonly connections: GatewayConnections;
}

export interface OwnProcessesOptions {
  readonly claims: ProcessClaims;
  readonly passes: NodePasses;
  readonly gateway: () => ProcessGateway;
  onError(error: unknown): void;
}

/**
 * A client's own processes belong to one node, and so do sessions that only one call at a time may use. Calls at another node are
 * forwarded to the owner before they are judged.
 */
export class OwnProcesses {
  readonly #options: OwnProcessesOptions;
  /** Servers with clients' processes here although another node, whose name is the value, has them too. */
  readonly #unshared = new Map<string, string>();

  constructor(options: OwnProcessesOptions) {
    this.#options = options;
  }

  /** Forwards a request if another node has the client's process; false if this node has to serve it. */
  async passOn(edge: PassableRequest, client: Client, request: ClientRequest): Promise<boolean> {
    // A request is forwarded only once, so that two nodes cannot send it back and forth.
    if (edge.caller.fromNode !== undefined) return false;
    const server = this.#ownServer(client, request);
    if (server === undefined) return false;
    // While the database is unreachable the owner is unknown: the client gets a process here, so that plain calls work.
    const owner = await ifReachable(this.#options.claims.claim(server, client.key));
    if (!owner) return false;
    if (owner.url === null) {
      this.#unshared.set(server, owner.node);
      return false;
    }
    await this.#options.passes.pass(edge, request, { node: owner.node, url: owner.url });
    return true;
  }

  /** Marks a process or session as owned by this node until the client's last one ends. */
  claimed(server: string, { key }: SharingClient, upstream: Upstream): Upstream {
    const { claims, gateway, onError } = this.#options;
    upstream.on('end', () => {
      const others = gateway().connections.clients.open({ key });
      if (!others.some((own) => own.server === server && own.upstream !== upstream))
        claims.release(server, key).catch(onError);
    });
    return upstream;
  }

  /** Explains to people why a server's processes are spread over nodes. */
  reasonOf(server: string): string | undefined {
    const node = this.#unshared.get(server);
    if (node === undefined || this.#options.gateway().connections.clients.count(server) === 0) return undefined;
    return `clients have processes or sessions here, beside those of node "${node}", which has no --advertise`;
  }

  /** The server of a request, if this client needs its own process or session there and has none here. */
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
}
