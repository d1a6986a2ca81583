import { EventEmitter } from 'node:events';
import { abortSignalOf } from '../../contract/cancellation.ts';
import { isObject, type JsonObject, type RequestMessage } from '../../contract/json.ts';
import type { BoundRoom } from '../../contract/operation.ts';
import type { Clock, Log, Random } from '../../contract/ports.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { createToolset, type Toolset } from '../../mcp/toolset.ts';
import { uuidV7 } from '../../store/uuid-v7.ts';
import { encodeError, encodeResult, scanEnvelope } from '../../wire/messages.ts';
import { MODERN_VERSIONS, RPC } from '../../wire/revisions.ts';
import type { CallOrigin, CallUpstream, RawRequest, RawRequestOptions, RequestOptions } from '../../wire/upstream.ts';

/** The origin of calls from this machine without HTTP. */
const LOCAL = { peerAddress: '127.0.0.1', header: () => undefined } satisfies CallOrigin;

/** The rooms that every gateway serves as built-in servers. */
export const BUILTIN_SERVERS = ['bind', 'civic', 'context'];

export interface BuiltinServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
}

/** A room as a server, bound to its dependencies. */
export function builtinServer(
  { room, deps }: BoundRoom,
  { clock, random, log, version }: BuiltinServerOptions,
): BuiltinServer {
  const toolset = createToolset({ rooms: [{ room, deps }], log, newRequestId: () => uuidV7(clock.now(), random) });
  return new BuiltinServer(room.name, version, toolset);
}

/** A room of Bindery as a server of the gateway, in the same process. */
export class BuiltinServer extends EventEmitter implements CallUpstream {
  readonly transport = 'stdio';
  readonly era = '2026';
  readonly protocolVersion = MODERN_VERSIONS[0];
  readonly capabilities = { tools: {} };
  readonly serverInfo: JsonObject;
  readonly instructions = undefined;
  readonly sessionBound = false;
  readonly closed = false;
  readonly #toolset: Toolset;
  #lastId = 0;

  constructor(name: string, version: string, toolset: Toolset) {
    super();
    this.serverInfo = { name, version };
    this.#toolset = toolset;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  async request({ method, params = {} }: RequestMessage, options: RequestOptions = {}): Promise<JsonObject> {
    if (method !== 'tools/call') return {};
    const signal = options.signal ? abortSignalOf(options.signal) : new AbortController().signal;
    return this.#call(params, LOCAL, signal, (progress, total, message) =>
      options.onProgress?.({ progress, ...(total === undefined ? {} : { total }), ...(message ? { message } : {}) }),
    );
  }

  async requestRaw({ bytes, id, method, progressToken }: RawRequest, options: RawRequestOptions = {}) {
    const { params = {} } = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    ) as { params?: JsonObject };
    const signal = options.signal ? abortSignalOf(options.signal) : new AbortController().signal;
    const answer =
      method === 'tools/call' && typeof params.name === 'string' && this.#toolset.has(params.name)
        ? encodeResult(
            JSON.stringify(id),
            await this.#call(params, options.origin?.() ?? LOCAL, signal, (progress, total, message) =>
              reportProgress(options, progressToken, { progress, total, message }),
            ),
          )
        : encodeError(JSON.stringify(id), RPC.invalidParams, 'Unknown tool');
    const envelope = scanEnvelope(answer);
    if (!envelope) throw new Error('a built-in server made no JSON-RPC message');
    return { bytes: answer, envelope };
  }

  /** A built-in server never sends notifications. */
  listen(): { close(): void } {
    return { close: () => {} };
  }

  async notify(): Promise<void> {}

  /** The room's offer; known without a connection. */
  offer(server: string): ServerOffer {
    const raw = this.#toolset.tools.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    }));
    return {
      server,
      era: this.era,
      protocolVersion: this.protocolVersion,
      serverInfo: this.serverInfo,
      capabilities: this.capabilities,
      instructions: null,
      tools: offeredTools(raw, { pinned: false, inUse: new Map() }),
      resources: [],
      resourceTemplates: [],
      prompts: [],
    };
  }

  async #call(
    params: JsonObject,
    { peerAddress, header }: CallOrigin,
    signal: AbortSignal,
    progress: (done: number, total?: number, message?: string) => void,
  ): Promise<JsonObject> {
    const args = isObject(params.arguments) ? params.arguments : {};
    const result = await this.#toolset.call(params.name as string, args, {
      signal,
      header: (name) => header(name.toLowerCase()),
      peerAddress: peerAddress ?? LOCAL.peerAddress,
      progress,
    });
    return { resultType: 'complete', ...result };
  }
}

function reportProgress(
  options: RawRequestOptions,
  token: RawRequest['progressToken'],
  progress: { progress: number; total?: number | undefined; message?: string | undefined },
): void {
  if (token === undefined) return;
  options.onProgress?.(
    Buffer.from(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, ...progress },
      }),
    ),
  );
}
