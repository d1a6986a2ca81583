import { randomBytes } from 'node:crypto';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { JsonObject } from '../../contract/json.ts';
import { encodeNotification, encodeRequest } from '../../wire/messages.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';
import type { ClientResponse } from '../message/client.ts';

const QUESTION_ID_BYTES = 12;
const QUESTION_ID = new RegExp(`^bindery-(.+)-[0-9a-f]{${2 * QUESTION_ID_BYTES}}$`);

/** The node that asked the question with this id; undefined if the id is not one of ours. */
export function askingNode(id: unknown): string | undefined {
  return QUESTION_ID.exec(String(id))?.[1];
}

interface Pending {
  readonly answer: (response: ClientResponse) => void;
}

/** Open questions to one client. We create the ids, so ids of different servers do not collide. */
export class Questions {
  readonly #pending = new Map<string, Pending>();
  readonly #node: string;

  constructor(node: string) {
    this.#node = node;
  }

  /** Sends a question and resolves with the client's result. Withdraws it when a signal is aborted. */
  ask(
    method: string,
    params: JsonObject,
    send: (bytes: Uint8Array) => void,
    signals: readonly CancelSignal[],
  ): Promise<JsonObject> {
    if (signals.some(({ aborted }) => aborted)) return Promise.reject(withdrawn());
    // The id is random, so it cannot be guessed and matches nothing at another node or after a restart.
    const id = `bindery-${this.#node}-${randomBytes(QUESTION_ID_BYTES).toString('hex')}`;
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#pending.delete(id);
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', cancel);
      };
      const cancel = () => {
        done();
        send(
          encodeNotification({
            method: 'notifications/cancelled',
            params: { requestId: id, reason: 'no longer needed' },
          }),
        );
        reject(withdrawn());
      };
      const timer = setTimeout(cancel, PROXY_LIMITS.questionTimeoutMs);
      for (const signal of signals) signal.addEventListener('abort', cancel, { once: true });
      this.#pending.set(id, {
        answer: ({ result, error }) => {
          done();
          if (result) resolve(result);
          else
            reject(
              new RpcFailure(error?.code ?? RPC.internalError, error?.message ?? 'The client did not answer', {
                data: error?.data,
              }),
            );
        },
      });
      send(encodeRequest(id, { method, params }));
    });
  }

  /** Delivers an answer; false if no question waits for it (it came late, or twice). */
  answer(response: ClientResponse): boolean {
    const pending = this.#pending.get(String(response.id));
    pending?.answer(response);
    return pending !== undefined;
  }
}

function withdrawn(): RpcFailure {
  return new RpcFailure(RPC.internalError, 'The question was withdrawn');
}
