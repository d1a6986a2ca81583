import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readNodePass, signNodePass } from '../../gateway/session/node-pass.ts';
import type { Caller, PassableRequest } from '../../proxy/http/edge-request.ts';
import { errorBytes, idText, RpcFailure } from '../../proxy/message/answers.ts';
import type { ClientRequest } from '../../proxy/message/client.ts';
import { RPC } from '../../wire/revisions.ts';
import { UP_LIMITS } from '../limits.ts';
import { withoutConnection } from '../workers/pass-on.ts';

/** The header in which a node vouches for the caller. */
const NODE_PASS_HEADER = 'x-bindery-node';

/** Headers of the client that are not forwarded to another node. */
const NOT_PASSED = new Set(['host', 'authorization', 'cookie', NODE_PASS_HEADER]);

const NONE: ReadonlySet<string> = new Set();

export interface NodePassesOptions {
  readonly node: string;
  /** The keys that all nodes sign with: the current one first. */
  readonly keys: readonly Uint8Array[];
  /** The user behind a caller whose token this node has seen. */
  userOf(caller: string): string | undefined;
  now(): number;
}

/** Forwards client requests to other nodes, and admits requests that other nodes forward. A signed pass names the caller. */
export class NodePasses {
  readonly #options: NodePassesOptions;
  /** Used passes, until they expire. */
  readonly #used = new Map<string, number>();
  /** The users behind callers whose tokens only other nodes have seen. */
  readonly #users = new Map<string, string>();
  /** Requests of this node's clients that other nodes serve now. */
  passing = 0;

  constructor(options: NodePassesOptions) {
    this.#options = options;
  }

  /** The caller that another node's pass names; undefined without a pass. Throws if the pass is not valid. */
  callerOf(headers: IncomingHttpHeaders, profile: string): Caller | undefined {
    const text = headers[NODE_PASS_HEADER];
    if (text === undefined) return undefined;
    const { keys, now } = this.#options;
    const pass = typeof text === 'string' ? readNodePass(text, keys, now()) : undefined;
    if (!pass || pass.profile !== profile || this.#used.has(pass.nonce))
      throw new RpcFailure(RPC.invalidRequest, 'The node pass is invalid, expired or already used', {
        httpStatus: 401,
      });
    this.#used.set(pass.nonce, pass.expiresAt);
    if (pass.user !== undefined) this.#remember(pass.caller, pass.user);
    return { name: pass.caller, fromNode: pass.from };
  }

  /** The user behind a caller, from a pass of another node. */
  userOf(caller: string): string | undefined {
    return this.#users.get(caller);
  }

  /** Deletes expired passes. */
  expire(): void {
    const now = this.#options.now();
    for (const [nonce, expiresAt] of this.#used) if (expiresAt <= now) this.#used.delete(nonce);
  }

  /** Forwards a request to the node at an address; answers with an error if it is unreachable. */
  async pass(
    { request, response, profile, caller }: PassableRequest,
    message: ClientRequest,
    to: { readonly node: string; readonly url: string },
  ): Promise<void> {
    const { node: from, keys, userOf, now } = this.#options;
    const whose = { caller: caller.name, user: userOf(caller.name), profile };
    const pass = { from, ...whose, nonce: randomUUID(), expiresAt: now() + UP_LIMITS.nodePassMs };
    const path = profile === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(profile)}`;
    this.passing += 1;
    try {
      const url = new URL(`${to.url.replace(/\/$/, '')}${path}`);
      const signed = signNodePass(pass, keys[0] as Uint8Array);
      if (await passToNode({ request, response, body: message.bytes, url, pass: signed })) return;
    } finally {
      this.passing -= 1;
    }
    const text = `INTERRUPTED: The node "${to.node}", which has this client’s process, cannot be reached. Call again.`;
    const body = errorBytes(idText(message), RPC.internalError, text, { code: 'INTERRUPTED' });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  }

  #remember(caller: string, user: string): void {
    this.#users.delete(caller);
    this.#users.set(caller, user);
    const [oldest] = this.#users.keys();
    if (this.#users.size > UP_LIMITS.nodeUsersMax) this.#users.delete(oldest as string);
  }
}

interface PassedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array;
  /** The address of this path at the other node. */
  readonly url: URL;
  readonly pass: string;
}

/** Forwards a client's request to another node, and the response back to the client; false if the node is unreachable. */
function passToNode({ request, response, body, url, pass }: PassedRequest): Promise<boolean> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = [
    ...withoutConnection(request.rawHeaders, NOT_PASSED),
    ...['host', url.host, 'content-length', String(body.length), NODE_PASS_HEADER, pass],
  ];
  return new Promise((settle) => {
    const passed = send(url, { method: 'POST', headers });
    const unanswered = setTimeout(() => passed.destroy(), UP_LIMITS.nodeConnectTimeoutMs);
    passed.on('socket', (socket) => {
      const connected = () => clearTimeout(unanswered);
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.rawHeaders, NONE, 'content-length'));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      response.on('close', () => settle(true));
    });
    passed.on('error', () => {
      clearTimeout(unanswered);
      if (response.headersSent) response.destroy();
      settle(response.headersSent);
    });
    // If the client disconnects, cancel the forwarded request.
    response.on('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    passed.end(body);
  });
}
