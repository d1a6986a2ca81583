import { isObject, type JsonObject } from '../../contract/json.ts';
import { argumentsSha256 } from '../../gateway/approval/approval.ts';
import { isHeldState } from '../../gateway/session/held-state.ts';
import {
  type RoundCall,
  readQuestionKey,
  readRoundState,
  signQuestionKey,
  signRoundState,
} from '../../gateway/session/round-state.ts';
import { RPC } from '../../wire/revisions.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { namedMember } from '../message/client-message.ts';

/** Keys of Bindery's own questions begin with this. Their answers are never sent to a server. */
export const OWN_KEY_PREFIX = 'bindery_';

/** What a server gets of a round: the answers to its questions and its own state. */
export interface Round {
  readonly inputResponses?: JsonObject;
  readonly requestState?: string;
}

/** A call within which a server asks. */
interface AskedCall {
  readonly client: Client;
  readonly request: Pick<ClientRequest, 'method' | 'params'>;
  readonly target: { readonly server: string; readonly tool: string };
}

/**
 * The rounds of questions between 2026 servers and 2026 clients. Each `input_required` result carries a state that we signed, so a
 * client can send answers only to questions that this server asked this caller within this call.
 */
export class AskedRounds {
  /** The current key, then the previous one. */
  readonly #keys: readonly Uint8Array[];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  /** The state of a round, in which the server's own state is wrapped. */
  sign(call: AskedCall, asked: readonly string[], upstream: string | undefined): string {
    const state = { ...roundCall(call), asked, ...(upstream === undefined ? {} : { upstream }) };
    return signRoundState(state, this.#keys[0] as Uint8Array);
  }

  /**
   * The round that a request continues; undefined if it continues none, or a held call, which reads its answers itself. Throws
   * `RpcFailure` if the request has a state that is not of this call, or an answer that was not asked for.
   */
  read(call: AskedCall): Round | undefined {
    const { inputResponses, requestState } = call.request.params ?? {};
    if (inputResponses === undefined && requestState === undefined) return undefined;
    if (isHeldState(requestState)) return undefined;
    if (inputResponses !== undefined && !isObject(inputResponses)) throw refused('inputResponses must be an object');
    const answers = theirAnswers(inputResponses);
    // Our own questions have no state, or an empty one.
    if (requestState === undefined || requestState === '') {
      if (Object.keys(answers).length > 0) throw refused('inputResponses answer questions that were not asked');
      return undefined;
    }
    const state = typeof requestState === 'string' ? readRoundState(requestState, this.#keys) : undefined;
    if (!state || !isSameCall(state, roundCall(call)))
      throw refused('requestState is not that of a question within this call');
    for (const [key, answer] of Object.entries(answers)) {
      if (!state.asked.includes(key)) throw notAsked(key);
      refuseNoObject(key, answer);
    }
    return {
      ...(Object.keys(answers).length > 0 ? { inputResponses: answers } : {}),
      ...(state.upstream === undefined ? {} : { requestState: state.upstream }),
    };
  }

  /** The key of a question that a task asks, as its client sees it. */
  signKey(task: AskedTask, key: string): string {
    return signQuestionKey(taskRound(task), key, this.#keys[0] as Uint8Array);
  }

  /**
   * The answers of a `tasks/update` under the keys of the server. Throws `RpcFailure` if one is no answer to a question that this task
   * asked this caller.
   */
  readAnswers(task: AskedTask, inputResponses: unknown): JsonObject {
    if (!isObject(inputResponses)) throw refused('inputResponses must be an object');
    const call = taskRound(task);
    return Object.fromEntries(
      Object.entries(inputResponses).map(([signed, answer]) => {
        const key = readQuestionKey(call, signed, this.#keys);
        if (key === undefined) throw notAsked(signed);
        refuseNoObject(key, answer);
        return [key, answer];
      }),
    );
  }
}

/** A task that asks its caller. */
interface AskedTask {
  readonly client: Client;
  readonly server: string;
  readonly taskId: string;
}

function taskRound({ client, server, taskId }: AskedTask): RoundCall {
  return roundCall({ client, request: { method: 'tasks/update', params: {} }, target: { server, tool: taskId } });
}

/** The answers of a request to questions of servers, without those to our own questions. */
export function theirAnswers(inputResponses: unknown): JsonObject {
  if (!isObject(inputResponses)) return {};
  return Object.fromEntries(Object.entries(inputResponses).filter(([key]) => !key.startsWith(OWN_KEY_PREFIX)));
}

function roundCall({ client: { caller, profile }, request: { method, params }, target }: AskedCall): RoundCall {
  const { server, tool } = target;
  // A read has no arguments: its URI is in `tool`.
  const args = method === 'resources/read' ? {} : (params?.arguments ?? {});
  return { caller, profile, method, server, tool, arguments_sha256: argumentsSha256(args) };
}

function isSameCall(state: RoundCall, call: RoundCall): boolean {
  return (Object.keys(call) as (keyof RoundCall)[]).every((name) => state[name] === call[name]);
}

function refuseNoObject(key: string, answer: unknown): void {
  if (!isObject(answer)) throw refused(`the answer to the question ${namedMember(key)} must be an object`);
}

function notAsked(key: string): RpcFailure {
  return refused(`inputResponses answer the question ${namedMember(key)}, which was not asked`);
}

/** The fault is the client's, not the model's: it is an error of the protocol. */
function refused(reason: string): RpcFailure {
  return new RpcFailure(RPC.invalidParams, `Invalid params: ${reason}`, { data: { code: 'INVALID_ARGUMENTS' } });
}
