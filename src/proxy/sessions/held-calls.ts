import { randomBytes } from 'node:crypto';
import type { CancelSignal } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { argumentsSha256 } from '../../gateway/approval/approval.ts';
import { isHeldState, readHeldState, signHeldState } from '../../gateway/session/held-state.ts';
import { RPC } from '../../wire/revisions.ts';
import type { CallUpstream, RawAnswer } from '../../wire/upstream.ts';
import type { Forwarded } from '../call/client-call.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';

/** What a held call is about: only the same caller's same call may go on with it. */
export interface HeldTarget {
  readonly server: string;
  readonly tool: string;
}

/** Goes on with a call that waits at another node. */
export type HeldElsewhere = (exchange: Exchange) => Promise<Forwarded>;

/** How a call that waits at another node is gone on with. */
export type ContinueElsewhere = (
  node: string,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: HeldTarget,
) => Promise<Forwarded>;

/** Calls of 2026 clients to 2025 servers that asked something: they wait for the retry that brings the answers. */
export class HeldCalls {
  /** The present key, then the one before. */
  readonly #keys: readonly Uint8Array[];
  readonly #held = new Map<
    string,
    { readonly call: HeldCall; readonly owner: string; readonly timer: NodeJS.Timeout }
  >();

  readonly #node: string;
  readonly #elsewhere: ContinueElsewhere | undefined;

  constructor(keys: readonly Uint8Array[], node: string, elsewhere?: ContinueElsewhere) {
    this.#keys = keys;
    this.#node = node;
    this.#elsewhere = elsewhere;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Keeps a call until its retry comes; the state under which it is found again, once. */
  hold(call: HeldCall, client: Client, target: HeldTarget, request: Pick<ClientRequest, 'params'>): string {
    if (this.#held.size >= PROXY_LIMITS.heldCallsMax) {
      call.end();
      throw new BinderyError('BUSY', { members: { retry_after_ms: 1_000 } });
    }
    const handle = randomBytes(16).toString('base64url');
    const timer = setTimeout(() => {
      this.#held.delete(handle);
      call.end();
    }, PROXY_LIMITS.heldMs);
    timer.unref();
    this.#held.set(handle, { call, owner: ownerOf(client, target), timer });
    return signHeldState({ node: this.#node, handle, digest: digestOf(request) }, this.#keys[0] as Uint8Array);
  }

  /** Throws where a retry has other arguments than the call that it goes on with: they would be recorded, and were never sent. */
  refuseOther(request: Pick<ClientRequest, 'params'>): void {
    const state = request.params?.requestState;
    const place = isHeldState(state) ? readHeldState(state, this.#keys) : undefined;
    if (!place || place.digest === digestOf(request)) return;
    throw new BinderyError('INVALID_ARGUMENTS', {
      detail: '/arguments: are not those of the call that waits for these answers.',
      next: 'Send the answers with the arguments of the call, or call anew without requestState.',
    });
  }

  /** Whether a request brings answers to a call that runs. */
  goesOn({ params }: Pick<ClientRequest, 'params'>): boolean {
    return isHeldState(params?.requestState) && readHeldState(params.requestState, this.#keys) !== undefined;
  }

  /** The call that a retry goes on with; undefined where it is no such retry. Throws `INTERRUPTED` where it is gone. */
  take(request: ClientRequest, client: Client, target: HeldTarget): HeldCall | HeldElsewhere | undefined {
    const { params } = request;
    if (!isHeldState(params?.requestState)) return undefined;
    const place = readHeldState(params.requestState, this.#keys);
    const elsewhere = this.#elsewhere;
    if (place && place.node !== this.#node && elsewhere)
      return (exchange) => elsewhere(place.node, client, request, exchange, target);
    if (place && place.node !== this.#node)
      throw new BinderyError('INTERRUPTED', {
        detail: `the call waits at the node "${place.node}", which is another one`,
      });
    const held = place && this.#held.get(place.handle);
    if (held?.owner !== ownerOf(client, target))
      throw new BinderyError('INTERRUPTED', { detail: 'nothing waits for these answers any more' });
    clearTimeout(held.timer);
    this.#held.delete(place?.handle ?? '');
    return held.call;
  }

  /** Ends everything that is held. */
  close(): void {
    for (const { call, timer } of this.#held.values()) {
      clearTimeout(timer);
      call.end();
    }
    this.#held.clear();
  }
}

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (result: JsonObject) => void;
  readonly withdraw: (reason: RpcFailure) => void;
}

/** One call on its server, which outlives the requests of the client that asks for it. */
export class HeldCall {
  /** The connection that it runs on. */
  readonly upstream: CallUpstream | undefined;
  /** The request that the client waits with now; what the server says before its answer goes there. */
  current: { readonly request: ClientRequest; readonly exchange: Exchange } | undefined;
  readonly #ending = new AbortController();
  readonly #questions = new Map<string, Question>();
  #answer: Promise<RawAnswer> | undefined;
  #asked = 0;
  #wake = () => {};

  constructor(upstream?: CallUpstream) {
    this.upstream = upstream;
  }

  /** Ends the call on the server. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  run(answer: Promise<RawAnswer>): void {
    this.#answer = answer;
    // No request waits for the result of this call.
    answer.catch(() => {});
  }

  /** A question of the server: answered by a later request of the client. */
  ask(method: string, params: JsonObject, signal: CancelSignal): Promise<JsonObject> {
    this.#asked += 1;
    const key = `question_${this.#asked}`;
    return new Promise<JsonObject>((resolve, reject) => {
      const settle = () => {
        this.#questions.delete(key);
        signal.removeEventListener('abort', withdrawn);
      };
      const withdrawn = () => {
        settle();
        reject(new RpcFailure(RPC.internalError, 'The question was withdrawn'));
      };
      signal.addEventListener('abort', withdrawn, { once: true });
      this.#questions.set(key, {
        method,
        params,
        answer: (result) => {
          settle();
          resolve(result);
        },
        withdraw: (reason) => {
          settle();
          reject(reason);
        },
      });
      this.#wake();
    });
  }

  /** Waits with a request of the client: for the server's answer, or until it asks something. */
  async next(request: ClientRequest, exchange: Exchange): Promise<RawAnswer | undefined> {
    const stop = () => this.end();
    if (exchange.signal.aborted) stop();
    exchange.signal.addEventListener('abort', stop, { once: true });
    this.current = { request, exchange };
    this.#takeAnswers(request);
    try {
      const answer = await Promise.race([this.#answer as Promise<RawAnswer>, this.#untilAsked()]);
      // A server asks for roots when it starts, and may answer the call that it was started for before it has them.
      if (answer && this.#asksForRoots()) return undefined;
      if (answer) this.#withdrawQuestions();
      return answer;
    } finally {
      this.#wake = () => {};
      this.current = undefined;
      exchange.signal.removeEventListener('abort', stop);
    }
  }

  /** The questions that are open, as a result asks them. */
  inputRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  end(): void {
    this.#ending.abort();
    this.#withdrawQuestions();
  }

  #withdrawQuestions(): void {
    for (const { withdraw } of this.#questions.values())
      withdraw(new RpcFailure(RPC.internalError, 'The client did not answer'));
  }

  #asksForRoots(): boolean {
    return [...this.#questions.values()].some(({ method }) => method === 'roots/list');
  }

  /** Questions without an answer stay open, and are asked once more. */
  #takeAnswers({ params }: ClientRequest): void {
    const responses = isObject(params?.inputResponses) ? params.inputResponses : {};
    for (const [key, { answer }] of this.#questions) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isObject(response)) answer(response);
    }
  }

  /** Resolves a moment after the first open question: servers ask several at once. */
  #untilAsked(): Promise<undefined> {
    return new Promise((resolve) => {
      const ask = () => {
        this.#wake = () => {};
        setTimeout(() => resolve(undefined), PROXY_LIMITS.questionsGatherMs);
      };
      if (this.#questions.size > 0) ask();
      else this.#wake = ask;
    });
  }
}

function digestOf({ params }: Pick<ClientRequest, 'params'>): string {
  return argumentsSha256(params?.arguments ?? {});
}

function ownerOf({ caller, profile }: Client, { server, tool }: HeldTarget): string {
  return JSON.stringify([caller, profile, server, tool]);
}
