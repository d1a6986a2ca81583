import { BinderyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import { META, MODERN_VERSIONS, RPC } from '../wire/revisions.ts';
import { completeResult, resultBytes } from './answer-bytes.ts';
import { attempt, type Target } from './attempt.ts';
import { type RefusedRequest, refusedEntry } from './attempt-record.ts';
import type { Client, Exchange } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import { FoundToolsMemory } from './found-tools.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { PROXY_LIMITS } from './limits.ts';
import { isLogLevel } from './log-levels.ts';
import { type ProfileLists, type ProfileSettings, ProfileView, type ViewSource } from './profile-view.ts';
import { routeOf } from './route-of.ts';
import { RpcFailure } from './rpc-failure.ts';
import { SearchCalls } from './search-calls.ts';
import { forwardUnrecorded } from './unrecorded.ts';

export interface GatewayOptions {
  readonly ports: GatewayPorts;
  readonly source: ViewSource;
  readonly profiles: () => readonly ProfileSettings[];
  readonly info: { readonly name: string; readonly version: string };
}

/** What the gateway itself can do for a client, whatever its servers can. */
const OWN_CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

/** Methods that revision 2026-07-28 has no more. */
const LEGACY_ONLY = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Serves requests of clients: lists from memory, everything else from the server that it is about. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #views = new Map<string, ProfileView>();
  readonly #found = new FoundToolsMemory();
  readonly #search: SearchCalls;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#search = new SearchCalls(options.ports, this.#found);
  }

  get ports(): GatewayPorts {
    return this.#options.ports;
  }

  /** The view of a profile. Throws `PROFILE_NOT_FOUND`. */
  view(profile: string): ProfileView {
    const settings = this.#options.profiles().find(({ name }) => name === profile);
    if (!settings) throw new BinderyError('PROFILE_NOT_FOUND', { detail: profile });
    const known = this.#views.get(profile);
    if (known?.settings === settings) return known;
    const view = new ProfileView(settings, this.#options.source);
    this.#views.set(profile, view);
    return view;
  }

  /** The lists as this client sees them: all tools, or the search and what it found. */
  listsFor(client: Client): ProfileLists {
    const view = this.view(client.profile);
    const lists = view.lists();
    const search = view.search();
    if (view.isBare || this.#found.modeFor(client, search.mode) === 'all') return lists;
    return { ...lists, tools: search.listing(this.#found.found(client)) };
  }

  /** The client is gone: what was kept for it is forgotten. */
  forget(key: string): void {
    this.#found.forget(key);
    this.ports.logLevels.forget(key);
  }

  /** What a client of this profile is told about who serves it; a bare profile shows its server's own face. */
  async introduction(
    client: Client,
    signal: AbortSignal,
  ): Promise<{ info: JsonObject; capabilities: JsonObject; instructions: string | undefined }> {
    const view = this.view(client.profile);
    if (!view.isBare) return { info: this.#options.info, capabilities: OWN_CAPABILITIES, instructions: undefined };
    const server = view.settings.servers?.[0] as string;
    const upstream = await this.ports.connections.connection(server, client, signal);
    return {
      info: upstream.serverInfo ?? this.#options.info,
      capabilities: upstream.capabilities,
      instructions: upstream.instructions,
    };
  }

  /** Answers one request. Throws `RpcFailure` where the answer is a JSON-RPC error of ours. */
  async handle(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const view = this.view(client.profile);
    if (client.era === '2026' && LEGACY_ONLY.has(request.method)) throw methodNotFound(client, request);
    switch (request.method) {
      case 'ping':
        return resultBytes(request, '{}');
      case 'server/discover':
        return this.#discover(client, request, exchange);
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return this.#list(client, request);
      case 'tools/call':
        if (this.#search.isOwn(view, request.params?.name)) return this.#search.handle(view, client, request, exchange);
        return this.#attempt(client, request, exchange, toolTarget(view, request));
      case 'prompts/get':
        return this.#attempt(client, request, exchange, promptTarget(view, request));
      case 'resources/read':
        return this.#attempt(client, request, exchange, resourceTarget(view, client, request));
      case 'resources/subscribe':
      case 'resources/unsubscribe':
      case 'completion/complete':
        return forwardUnrecorded(this.ports, view, client, request, exchange);
      case 'logging/setLevel':
        return this.#setLevel(client, request, exchange);
      default:
        throw methodNotFound(client, request);
    }
  }

  #attempt(
    client: Client,
    request: ClientRequest,
    exchange: Exchange,
    target: Target | UnknownTarget,
  ): Promise<Uint8Array> {
    return 'failure' in target
      ? this.#refuseUnknown(client, request, target)
      : attempt(this.ports, client, request, exchange, target);
  }

  /** Whatever named nothing there is was an attempt, too. */
  async #refuseUnknown(client: Client, request: ClientRequest, unknown: UnknownTarget): Promise<never> {
    await this.ports.audit.append(refusedEntry(this.ports, client, request, unknown));
    throw unknown.failure;
  }

  #list(client: Client, request: ClientRequest): Uint8Array {
    if (request.params?.cursor !== undefined)
      throw new RpcFailure(RPC.invalidParams, 'Invalid cursor: every list has one page');
    const lists = this.listsFor(client);
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

  async #discover(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const { info, capabilities, instructions } = await this.introduction(client, exchange.signal);
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

  /** The level is told to the servers that this client has connections of its own to. */
  async #setLevel(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const level = request.params?.level;
    if (!isLogLevel(level)) throw new RpcFailure(RPC.invalidParams, 'level must be one of the log levels');
    this.ports.logLevels.set(client.key, level);
    const open = this.ports.connections
      .open(client)
      .filter(({ upstream }) => upstream.era === '2025' && upstream.capabilities.logging !== undefined);
    await Promise.all(
      open.map(({ upstream }) =>
        upstream.request({ method: 'logging/setLevel', params: { level } }, { signal: exchange.signal }),
      ),
    );
    return resultBytes(request, '{}');
  }
}

function methodNotFound({ era }: Client, { method }: ClientRequest): RpcFailure {
  return new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`, { httpStatus: era === '2026' ? 404 : 200 });
}

/** A request for something that nobody offers, and how it is answered. */
interface UnknownTarget extends RefusedRequest {
  readonly failure: RpcFailure;
}

function toolTarget(view: ProfileView, request: ClientRequest): Target | UnknownTarget {
  const name = nameOf(request);
  const entry = view.catalogue().tools.get(name);
  if (!entry) {
    const failure = new RpcFailure(RPC.invalidParams, `Unknown tool: ${name}`, { data: { code: 'UNKNOWN_TOOL' } });
    return { kind: 'call', rule: 'unknown_tool', name, failure };
  }
  const { server, tool, offered } = entry;
  const { inputSchema } = offered.definition;
  const isChanged = offered.status === 'changed';
  return { kind: 'call', server, tool, name, rewrite: { name: tool }, inputSchema, isChanged };
}

function promptTarget(view: ProfileView, request: ClientRequest): Target | UnknownTarget {
  const name = nameOf(request);
  const entry = view.catalogue().prompts.get(name);
  if (!entry) {
    const failure = new RpcFailure(RPC.invalidParams, `Unknown prompt: ${name}`);
    return { kind: 'prompt', rule: 'unknown_prompt', name, failure };
  }
  return { kind: 'prompt', server: entry.server, tool: entry.prompt, name, rewrite: { name: entry.prompt } };
}

function resourceTarget(view: ProfileView, client: Client, request: ClientRequest): Target | UnknownTarget {
  const uri = request.params?.uri;
  if (typeof uri !== 'string') throw new RpcFailure(RPC.invalidParams, 'uri must be a string');
  const route = routeOf(view, uri);
  if (!route) {
    const code = client.era === '2026' ? RPC.invalidParams : RPC.resourceNotFound;
    const failure = new RpcFailure(code, `Resource not found: ${uri}`, { data: { uri } });
    return { kind: 'read', rule: 'unknown_resource', name: uri, failure };
  }
  return { kind: 'read', server: route.server, tool: route.uri, name: uri, rewrite: { uri: route.uri } };
}

function nameOf({ params }: ClientRequest): string {
  const name = isObject(params) ? params.name : undefined;
  if (typeof name !== 'string') throw new RpcFailure(RPC.invalidParams, 'name must be a string');
  return name;
}
