import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import { RPC } from '../../wire/revisions.ts';
import type { Forwarded } from '../call/client-call.ts';
import { continueHeld } from '../call/forward-to-legacy.ts';
import { callError } from '../call/upstream-error.ts';
import {
  type ChangeFeed,
  type NoticeViews,
  noticeFor,
  RESOURCE_UPDATED,
  type UpstreamNotice,
} from '../lists/change-feed.ts';
import { RpcFailure } from '../message/answers.ts';
import type { ClientRequest, ClientResponse, Exchange } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { type ContinueElsewhere, HeldCall, type HeldCalls } from '../sessions/held-calls.ts';
import { askingNode } from '../sessions/questions.ts';
import type { Session, SessionTable } from '../sessions/session-table.ts';
import type { NodeMessage } from './node-message.ts';

/** Sends messages to other nodes. Each method fails with `STORE_UNAVAILABLE` while the database is unreachable. */
export interface NodePost {
  /** False if the node is gone. */
  send(node: string, message: NodeMessage): Promise<boolean>;
  /** Sends to a node that waits for the message, whether it is running now or comes back. */
  reply(node: string, message: NodeMessage): Promise<void>;
  /** Broadcasts to every other node. */
  tell(message: NodeMessage): Promise<void>;
  /** Resolves when this node has received everything that was sent to it before. */
  take(): Promise<void>;
  /** How long messages are kept. */
  readonly keptMs: number;
  /** Resolves when the database is reachable again. */
  whenReachable(): Promise<void>;
}

export interface OtherNodesOptions {
  /** The name of this node. */
  readonly node: string;
  readonly post: NodePost;
  readonly sessions: () => SessionTable;
  readonly held: () => HeldCalls;
  readonly log: Log;
  now(): number;
}

/** The queue key for broadcasts; no node can have this name. */
const EVERYONE = '*';

/** The pause before a retry while the outage is not detected yet. */
const REPLY_AGAIN_MS = 500;

/** A retry that waits for the answer of another node. */
interface Waiting {
  readonly node: string;
  /** When the wait began. */
  readonly since: number;
  readonly exchange: Exchange;
  readonly settle: (outcome: Promise<Forwarded>) => void;
}

/** Forwards messages that belong to another node, and serves those that other nodes forward. */
export class OtherNodes {
  readonly #options: OtherNodesOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** Retries that other nodes forwarded and that run here. */
  readonly #running = new Map<string, AbortController>();
  /** Messages to a node are sent in order. */
  readonly #outgoing = new Map<string, Promise<void>>();
  /** The start time of the last successful `take`. */
  #takenAt: number;

  constructor(options: OtherNodesOptions) {
    this.#options = options;
    this.#takenAt = options.now();
  }

  /** Forwards a client's answer to the node that asked. An answer for this node came too late, or twice, and is dropped. */
  async answer(session: string, response: ClientResponse): Promise<undefined> {
    const node = askingNode(response.id);
    if (node === undefined || node === this.#options.node) return;
    if (await this.#options.post.send(node, { kind: 'answer', session, response })) return;
    throw new RpcFailure(RPC.invalidRequest, `INTERRUPTED: ${goneText(node)}`, {
      httpStatus: 410,
      data: { code: 'INTERRUPTED' },
    });
  }

  /** Cancels a request that does not run here. */
  async cancel(session: string, requestId: unknown): Promise<undefined> {
    await this.#options.post.tell({ kind: 'cancelled', session, requestId });
  }

  /**
   * Forwards notifications outside any request to the other nodes if the session has no stream here: its client may have opened one
   * there. Returns a function that stops.
   */
  forwardNotices(feed: ChangeFeed, views: NoticeViews): () => void {
    const onNotice = (notice: UpstreamNotice) => {
      for (const { claims, client, streams } of concerned(notice, this.#options.sessions())) {
        const heard = streams.size === 0 ? noticeFor(notice, client, views) : undefined;
        if (heard) this.#notice(claims.s, heard);
      }
    };
    feed.on('notice', onNotice);
    return () => feed.off('notice', onNotice);
  }

  /** Continues a call that another node holds, as long as the client waits. */
  readonly continueHeld: ContinueElsewhere = async (node, client, request, exchange, { server, tool }) => {
    const number = randomUUID();
    const outcome = new Promise<Forwarded>((settle) => {
      this.#waiting.set(number, { node, since: this.#options.now(), exchange, settle });
    });
    outcome.catch(() => {
      // The failure is thrown below, unless another one comes first.
    });
    const { post } = this.#options;
    const abandon = () => {
      this.#waiting.get(number)?.settle(Promise.reject(new BinderyError('CANCELLED')));
      post.send(node, { kind: 'abandoned', exchange: number }).catch((error: unknown) => this.#failed(error));
    };
    exchange.signal.addEventListener('abort', abandon, { once: true });
    try {
      const text = Buffer.from(request.bytes).toString('utf8');
      const message = { client, request: text, target: { server, tool } };
      const isThere = await post.send(node, {
        kind: 'continue',
        from: this.#options.node,
        exchange: number,
        ...message,
      });
      if (!isThere) throw gone(node);
      if (exchange.signal.aborted) abandon();
      return await outcome;
    } finally {
      exchange.signal.removeEventListener('abort', abandon);
      this.#waiting.delete(number);
    }
  };

  /** The nodes that requests here wait for. */
  awaited(): string[] {
    return [...new Set([...this.#waiting.values()].map(({ node }) => node))];
  }

  /** Fails all waits for nodes that are not in `present`. */
  failAbsent(present: readonly string[]): void {
    for (const { node, settle } of this.#waiting.values())
      if (!present.includes(node)) settle(Promise.reject(gone(node)));
  }

  /**
   * Receives messages for this node. After an outage longer than messages are kept, older waits fail, because their replies may be
   * lost.
   */
  async hear(): Promise<void> {
    const { post, now } = this.#options;
    const began = now();
    await post.take();
    const keptSince = now() - post.keptMs;
    if (this.#takenAt < keptSince) this.#lostBefore(keptSince);
    this.#takenAt = began;
  }

  /** Handles a message of another node. */
  receive(received: object): void {
    const message = received as NodeMessage;
    switch (message.kind) {
      case 'answer':
        this.#options.sessions().answer(message.session, message.response);
        break;
      case 'cancelled':
        this.#options.sessions().cancel(message.session, message.requestId);
        break;
      case 'notice':
        for (const stream of this.#options.sessions().known(message.session)?.streams ?? [])
          stream.send(Buffer.from(message.message));
        break;
      case 'continue':
        void this.#serve(message);
        break;
      case 'abandoned':
        this.#running.get(message.exchange)?.abort(new Error('the client is gone'));
        break;
      case 'said':
        this.#waiting.get(message.exchange)?.exchange.send(Buffer.from(message.message));
        break;
      case 'forwarded': {
        const { text, resultType, ...rest } = message.forwarded;
        const forwarded = { ...rest, resultType, bytes: Buffer.from(text) };
        this.#waiting.get(message.exchange)?.settle(Promise.resolve(forwarded));
        break;
      }
      case 'failed':
        this.#waiting.get(message.exchange)?.settle(Promise.reject(thrownBy(message.failure)));
    }
  }

  /** Aborts work for other nodes. */
  close(): void {
    for (const running of this.#running.values()) running.abort(new Error('the node is closing'));
  }

  /** Forwards a notification to the nodes that may have the session's stream. It is lost while the database is unreachable. */
  #notice(session: string, message: Uint8Array): void {
    const text = Buffer.from(message).toString('utf8');
    this.#inTurn(EVERYONE, () => this.#options.post.tell({ kind: 'notice', session, message: text }));
  }

  /** Continues a call that is held here, for a client that waits at another node. */
  async #serve({ from, exchange, client, request, target }: NodeMessage & { kind: 'continue' }): Promise<void> {
    const running = new AbortController();
    this.#running.set(exchange, running);
    const reply = (message: NodeMessage) => this.#reply(from, message);
    try {
      const message = readClientMessage(Buffer.from(request)) as ClientRequest;
      const calls = this.#options.held();
      const call = calls.take(message, client, target);
      if (!(call instanceof HeldCall)) throw new BinderyError('INTERRUPTED');
      const here: Exchange = {
        signal: running.signal,
        left: () => running.signal,
        send: (bytes) => reply({ kind: 'said', exchange, message: Buffer.from(bytes).toString('utf8') }),
        ask: (method) => Promise.reject(new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`)),
        setHeader: () => {},
      };
      const { bytes, ...rest } = await continueHeld(
        call,
        { client, request: message, exchange: here },
        { calls, target },
      );
      reply({ kind: 'forwarded', exchange, forwarded: { ...rest, text: Buffer.from(bytes).toString('utf8') } });
    } catch (thrown) {
      reply({ kind: 'failed', exchange, failure: failureOf(thrown, target.server) });
    } finally {
      this.#running.delete(exchange);
    }
  }

  /** Retries answers after an outage: the waiting node has no other way to get them. */
  #reply(node: string, message: NodeMessage): void {
    const { post } = this.#options;
    this.#inTurn(node, async () => {
      for (;;) {
        try {
          return await post.reply(node, message);
        } catch (thrown) {
          if (!(thrown instanceof BinderyError) || thrown.code !== 'STORE_UNAVAILABLE') throw thrown;
        }
        // The first failures come before the outage is detected, so pause first.
        await sleep(REPLY_AGAIN_MS, undefined, { ref: false });
        await post.whenReachable();
      }
    });
  }

  #inTurn(node: string, deliver: () => Promise<void>): void {
    const turn = (this.#outgoing.get(node) ?? Promise.resolve())
      .then(deliver)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        if (this.#outgoing.get(node) === turn) this.#outgoing.delete(node);
      });
    this.#outgoing.set(node, turn);
  }

  #lostBefore(time: number): void {
    const detail = 'The answer may have been sent while this node was disconnected; it is lost.';
    for (const { since, settle } of this.#waiting.values())
      if (since < time) settle(Promise.reject(new BinderyError('INTERRUPTED', { detail })));
  }

  #failed(error: unknown): void {
    this.#options.log.warn('a message to another node was lost', { error });
  }
}

type Failure = (NodeMessage & { kind: 'failed' })['failure'];

function failureOf(thrown: unknown, server: string): Failure {
  if (thrown instanceof RpcFailure) return { rpc: { code: thrown.code, message: thrown.message, data: thrown.data } };
  const { code, detail } = callError(thrown, server);
  return { code, ...(detail === undefined ? {} : { detail }) };
}

function thrownBy(failure: Failure): Error {
  if ('rpc' in failure) return new RpcFailure(failure.rpc.code, failure.rpc.message, { data: failure.rpc.data });
  return new BinderyError(failure.code, failure.detail === undefined ? {} : { detail: failure.detail });
}

function goneText(node: string): string {
  return `The node "${node}" is gone, and what it held with it.`;
}

function gone(node: string): BinderyError {
  return new BinderyError('INTERRUPTED', { detail: goneText(node) });
}

function concerned({ key, method }: UpstreamNotice, sessions: SessionTable): Iterable<Session> {
  if (key === undefined) return method === RESOURCE_UPDATED ? sessions.all() : [];
  const session = sessions.known(key);
  return session ? [session] : [];
}
