import { toolNamePrefix } from '../../contract/tool-names.ts';
import { askedOf } from '../../gateway/catalogue/asked-tools.ts';
import { ownUri } from '../../gateway/catalogue/resource-routes.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { ProfileView } from './profile-view.ts';

/**
 * Waits for the first lists of servers that a request may be about: the first call must not fail because it came before them. A name
 * that says its server waits for that server, any other name a moment for all. Undefined: there is nothing to wait for.
 */
export function untilListed(
  ports: Pick<GatewayPorts, 'undiscovered' | 'untilDiscovered'>,
  view: ProfileView,
  request: Pick<ClientRequest, 'method' | 'params'>,
  signal: Exchange['signal'],
): Promise<void> | undefined {
  const isRead = request.method === 'resources/read';
  const name = isRead ? request.params?.uri : request.params?.name;
  if (typeof name !== 'string' || isListed(view, request.method, name)) return undefined;
  const missing = undiscoveredIn(ports, view);
  if (missing.length === 0) return undefined;
  const named = missing.filter((server) => isOf(view, server, name, isRead));
  return named.length > 0 ? ports.untilDiscovered(signal, named) : ports.untilDiscovered(signal);
}

/**
 * Waits for the tools that servers show only to clients like this one, while they are being found out: those of the server that a name
 * says, for any other name or none a moment for all. Undefined: there is nothing to wait for.
 */
export function untilLooked(
  ports: Pick<GatewayPorts, 'looking' | 'untilLooked'>,
  view: ProfileView,
  client: Pick<Client, 'capabilities'>,
  wanted: { readonly name?: unknown; readonly signal: Exchange['signal'] },
): Promise<void> | undefined {
  const { name, signal } = wanted;
  if (typeof name === 'string' && view.tool(name)) return undefined;
  const looking = unlooked(ports, view, client);
  if (looking.length === 0) return undefined;
  const named = typeof name === 'string' ? looking.filter((server) => isOf(view, server, name, false)) : [];
  return named.length > 0 ? ports.untilLooked?.(signal, named) : ports.untilLooked?.(signal);
}

/** The servers of which it is not known yet what they show to clients like this one. */
export function unlooked(
  ports: Pick<GatewayPorts, 'looking'>,
  view: ProfileView,
  { capabilities }: Pick<Client, 'capabilities'>,
): readonly string[] {
  return askedOf(capabilities).length === 0 ? [] : servedIn(view, ports.looking?.() ?? []);
}

/** What an error adds about a tool whose server was not discovered yet; empty where its name says no such server. */
export function undiscoveredText(ports: Pick<GatewayPorts, 'undiscovered'>, view: ProfileView, name: string): string {
  const named = undiscoveredIn(ports, view).filter((server) => isOf(view, server, name, false));
  return named.map((server) => ` The tools of the server ${server} are not known yet.`).join('');
}

function undiscoveredIn(ports: Pick<GatewayPorts, 'undiscovered'>, view: ProfileView): readonly string[] {
  return servedIn(view, ports.undiscovered());
}

function servedIn({ settings }: ProfileView, servers: readonly string[]): readonly string[] {
  return servers.filter((server) => settings.servers?.includes(server) ?? true);
}

function isListed(view: ProfileView, method: string, name: string): boolean {
  switch (method) {
    case 'resources/read':
      return view.route(name) !== undefined;
    case 'prompts/get':
      return view.catalogue().prompts.has(name);
    default:
      return view.tool(name) !== undefined;
  }
}

function isOf({ settings: { names } }: ProfileView, server: string, name: string, isUri: boolean): boolean {
  if (names === 'bare') return true;
  return name.startsWith(isUri ? ownUri(server, '') : toolNamePrefix(server, names));
}
