import { META, MODERN_VERSIONS, RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { completeResult, RpcFailure, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { ClientViews } from './client-views.ts';

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
  if (isLegacyBridge(client)) throw new RpcFailure(RPC.methodNotFound, 'Method not found: server/discover');
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
 * Programs that stand between a 2025 client and us, and speak revision 2026-07-28 only as far as they can translate it: they lose
 * cancellation, URL elicitation and updates of resources on the way. They try `server/discover` first and fall back to `initialize`;
 * if the method is unknown to them, their client falls back to its own revision and loses nothing.
 */
const LEGACY_BRIDGE = /\(via mcp-remote [^()]*\)$/;

function isLegacyBridge({ info }: Pick<Client, 'info'>): boolean {
  return info !== undefined && LEGACY_BRIDGE.test(info.name);
}
