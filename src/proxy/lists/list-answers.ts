import { toolNamePrefix } from '../../contract/tool-names.ts';
import { askedOf } from '../../gateway/catalogue/asked-tools.ts';
import { ownUri } from '../../gateway/catalogue/resource-routes.ts';
import { META, MODERN_VERSIONS, RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { completeResult, methodNotFound, RpcFailure, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { ClientViews } from './client-views.ts';
import type { ListPorts } from './list-ports.ts';
import type { ProfileView } from './profile-view.ts';

/** Answers a list from memory. */
export function listAnswer(views: ClientViews, client: Client, request: ClientRequest): Uint8Array {
  if (request.params?.cursor !== undefined)
    throw new RpcFailure(RPC.invalidParams, 'Invalid cursor: every list has one page');
  const lists = views.listsFor(client);
  const [member, json] =
    request.method === 'tools/list'
      ? ['tools', lists.tools]
      : request.method === 'prompts/list'
        ? ['prompts', lists.prompts]
        : request.method === 'resources/list'
          ? ['resources', lists.resources]
          : ['resourceTemplates', lists.resourceTemplates];
  const hints = client.era === '2026' ? `"ttlMs":${PROXY_LIMITS.listTtlMs},"cacheScope":"private",` : '';
  return resultBytes(request, completeResult(client, `${hints}"${member}":${json}`));
}

/** Answers `server/discover`. */
export async function discoverAnswer(
  views: ClientViews,
  client: Client,
  request: ClientRequest,
  signal: Exchange['signal'],
): Promise<Uint8Array> {
  if (isLegacyBridge(client)) throw methodNotFound(request.method);
  const { info, capabilities, instructions } = await views.introduction(client, signal);
  const members = {
    supportedVersions: MODERN_VERSIONS,
    capabilities,
    ...(instructions ? { instructions } : {}),
    ttlMs: PROXY_LIMITS.listTtlMs,
    cacheScope: 'private',
    _meta: { [META.serverInfo]: info },
  };
  return resultBytes(request, completeResult(client, JSON.stringify(members).slice(1, -1)));
}

/**
 * Bridges between a 2025 client and us that translate revision 2026-07-28 incompletely: they lose cancellation, URL elicitation and
 * resource updates. They try `server/discover` first and fall back to `initialize`. We refuse the method for them, so their client
 * uses its own revision and loses nothing.
 */
const LEGACY_BRIDGE = /\(via mcp-remote [^()]*\)$/;

function isLegacyBridge({ info }: Pick<Client, 'info'>): boolean {
  return info !== undefined && LEGACY_BRIDGE.test(info.name);
}

/**
 * Waits for the first lists of servers that a request may be about, so that an early call does not fail. A name with a server's prefix
 * waits for that server; any other name waits briefly for all. Undefined: there is nothing to wait for.
 */
export function untilListed(
  ports: Pick<ListPorts, 'undiscovered' | 'untilDiscovered'>,
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
 * Waits until servers were probed for tools that they show only to clients like this one. A name with a server's prefix waits for that
 * server; any other name, or none, waits briefly for all. Undefined: there is nothing to wait for.
 */
export function untilProbed(
  ports: Pick<ListPorts, 'unprobed' | 'untilProbed'>,
  view: ProfileView,
  client: Pick<Client, 'capabilities'>,
  wanted: { readonly name?: unknown; readonly signal: Exchange['signal'] },
): Promise<void> | undefined {
  const { name, signal } = wanted;
  if (typeof name === 'string' && view.tool(name)) return undefined;
  const unprobed = unprobedFor(ports, view, client);
  if (unprobed.length === 0) return undefined;
  const named = typeof name === 'string' ? unprobed.filter((server) => isOf(view, server, name, false)) : [];
  return named.length > 0 ? ports.untilProbed?.(signal, named) : ports.untilProbed?.(signal);
}

/** The client's view, after its own lists and the tools for clients like it are known. */
export async function seenView(
  ports: Pick<ListPorts, 'ownLists' | 'unprobed' | 'untilProbed'>,
  views: ClientViews,
  client: Client,
  wanted: { readonly name?: string; readonly signal: Exchange['signal'] },
): Promise<ProfileView> {
  await ports.ownLists.settled(client.key);
  await untilProbed(ports, views.viewFor(client), client, wanted);
  return views.viewFor(client);
}

/** The servers that still have to be probed for clients like this one. */
export function unprobedFor(
  ports: Pick<ListPorts, 'unprobed'>,
  view: ProfileView,
  { capabilities }: Pick<Client, 'capabilities'>,
): readonly string[] {
  return askedOf(capabilities).length === 0 ? [] : servedIn(view, ports.unprobed?.() ?? []);
}

function undiscoveredIn(ports: Pick<ListPorts, 'undiscovered'>, view: ProfileView): readonly string[] {
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
