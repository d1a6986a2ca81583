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

/** The target of a held call. Only a retry of the same call by the same caller may continue it. */
export interface HeldTarget {
  readonly server: string;
  readonly tool: string;
}

/** Continues a call that is held at another node. */
export type HeldElsewhere = (exchange: Exchange) => Promise<Forwarded>;

/** Sends a retry to the node that holds its call. */
export type ContinueElsewhere = (
  node: string,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: HeldTarget,
) => Promise<Forwarded>;

/** Calls of 2026 clients to 2025 servers that asked something: each waits for the retry with the answers. */
export class HeldCalls {
  /** The current key, then the previous one. */
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

  /** Holds a call until its retry comes. Returns the signed state that the retry must carry. */
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

  /** Throws if a retry has other arguments than its call: they would be recorded, but were never sent. */
  refuseChangedArguments(request: Pick<ClientRequest, 'params'>): void {
    const state = request.params?.requestState;
    const place = isHeldState(state) ? readHeldState(state, this.#keys) : undefined;
    if (!place || place.digest === digestOf(request)) return;
    throw new BinderyError('INVALID_ARGUMENTS', {
      detail: '/arguments: are not those of the call that waits for these answers.',
      next: 'Send the answers with the arguments of the call, or call again without requestState.',
    });
  }

  /** Whether a request answers questions of a running call. */
  continuesCall({ params }: Pick<ClientRequest, 'params'>): boolean {
    return isHeldState(params?.requestState) && readHeldState(params.requestState, this.#keys) !== undefined;
  }

  /** The held call that a retry continues; undefined if the request is no such retry. Throws `INTERRUPTED` if the call is gone. */
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
      throw new BinderyError('INTERRUPTED', { detail: 'no call waits for these answers' });
    clearTimeout(held.timer);
    this.#held.delete(place?.handle ?? '');
    return held.call;
  }

  /** Ends all held calls. */
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

/** One call on its server. It outlives the client requests that wait for it. */
export class HeldCall {
  /** The connection that it runs on. */
  readonly upstream: CallUpstream | undefined;
  /** The client request that waits now. The server's messages before its answer go there. */
  current: { readonly request: ClientRequest; readonly exchange: Exchange } | undefined;
  readonly #ending = new AbortController();
  readonly #questions = new Map<string, Question>();
  #answer: Promise<RawAnswer> | undefined;
  #asked = 0;
  #wake = () => {};

  constructor(upstream?: CallUpstream) {
    this.upstream = upstream;
  }

  /** Aborted when the call ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  run(answer: Promise<RawAnswer>): void {
    this.#answer = answer;
    // Errors reach the request that waits in `next`; this avoids an unhandled rejection while none waits.
    answer.catch(() => {});
  }

  /** A question of the server. A later request of the client answers it. */
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

  /** Waits until the server answers (returns the answer) or asks something (returns undefined). */
  async next(request: ClientRequest, exchange: Exchange): Promise<RawAnswer | undefined> {
    const stop = () => this.end();
    if (exchange.signal.aborted) stop();
    exchange.signal.addEventListener('abort', stop, { once: true });
    this.current = { request, exchange };
    this.#takeAnswers(request);
    try {
      const answer = await Promise.race([this.#answer as Promise<RawAnswer>, this.#untilAsked()]);
      // A server asks for roots when it starts. It may answer the call that started it before it has them.
      if (answer && this.#asksForRoots()) return undefined;
      if (answer) this.#withdrawQuestions();
      return answer;
    } finally {
      this.#wake = () => {};
      this.current = undefined;
      exchange.signal.removeEventListener('abort', stop);
    }
  }

  /** The open questions in the form of an `input_required` result. */
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

  /** Questions without an answer stay open, and the next result asks them again. */
  #takeAnswers({ params }: ClientRequest): void {
    const responses = isObject(params?.inputResponses) ? params.inputResponses : {};
    for (const [key, { answer }] of this.#questions) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isObject(response)) answer(response);
    }
  }

  /** Resolves shortly after the first open question, since servers may ask several at once. */
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
