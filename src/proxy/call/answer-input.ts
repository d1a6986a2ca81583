import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortSignalOf } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isAskable, namedQuestion } from '../../wire/server-question.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { OutgoingCall } from './outgoing-call.ts';

/** Asks the client all questions of an `input_required` result at once. Asks none if the client cannot answer one of them. */
export async function answerInput(
  { client, exchange, options }: OutgoingCall,
  result: JsonObject,
): Promise<JsonObject> {
  const questions = isObject(result.inputRequests) ? Object.entries(result.inputRequests).map(readQuestion) : [];
  const refused = questions.find(({ method, params }) => !isAskable(client, method, params));
  if (refused) throw new BinderyError('CLIENT_CAPABILITY_MISSING', { detail: `the server asks for ${refused.method}` });
  if (questions.length === 0)
    await sleep(PROXY_LIMITS.inputRetryMs, undefined, { signal: abortSignalOf(exchange.signal) });
  const answers = await Promise.all(
    questions.map(
      async ({ key, method, params }) =>
        [
          key,
          await exchange.ask(method, namedQuestion(options.asker, method, withPageId(params)), exchange.signal),
        ] as const,
    ),
  );
  return {
    inputResponses: Object.fromEntries(answers),
    ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
  };
}

/** A URL question needs an id in revision 2025-11-25; clients insist on it. Revision 2026-07-28 has no such id. */
function withPageId(params: JsonObject): JsonObject {
  return params.mode === 'url' && params.elicitationId === undefined
    ? { ...params, elicitationId: randomUUID() }
    : params;
}

function readQuestion([key, question]: [string, unknown]) {
  const { method, params } = isObject(question) ? question : {};
  return { key, method: typeof method === 'string' ? method : '', params: isObject(params) ? params : {} };
}
