import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isAskable, isAskableMethod, isSafeQuestion, namedQuestion } from '../../wire/server-question.ts';
import type { Client } from '../message/client.ts';
import { OWN_KEY_PREFIX } from '../sessions/asked-rounds.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { malformed } from './server-error.ts';

/**
 * The `input_required` result of a 2026 server for a 2026 client. It is built from known members: questions that name their server,
 * and a state that we signed. Throws if the client did not declare that it can be asked so, or if a question is unsafe.
 */
export function inputRequired(
  { inputRequests = {}, requestState, _meta }: JsonObject,
  { client, options: { asker, signRound } }: Pick<OutgoingCall, 'client' | 'options'>,
): JsonObject {
  if (!signRound) throw malformed('the server asks something within a request that cannot carry answers');
  if (!isObject(inputRequests) || (requestState !== undefined && typeof requestState !== 'string'))
    throw malformed('the server asks something in a form that the protocol does not have');
  const questions = namedQuestions(inputRequests, client, asker);
  const asked = questions.map(([key]) => key);
  return {
    resultType: 'input_required',
    ...(asked.length === 0 ? {} : { inputRequests: Object.fromEntries(questions) }),
    requestState: signRound(asked, requestState),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

/**
 * The result of a 2026 server about a task that asks something. Its questions are built like those of a call; their keys are signed.
 * Throws likewise, and if the request is not about a task.
 */
export function taskQuestions(
  { inputRequests, requestState: _ours, ...task }: JsonObject,
  { client, options: { asker, signKey } }: Pick<OutgoingCall, 'client' | 'options'>,
): JsonObject {
  if (!signKey) throw malformed('the server asks something within a result that is no question');
  if (!isObject(inputRequests)) throw malformed('the server asks something in a form that the protocol does not have');
  const questions = namedQuestions(inputRequests, client, asker).map(([key, question]) => [signKey(key), question]);
  return { ...task, inputRequests: Object.fromEntries(questions) };
}

/** The questions of a server, built from known members, with the server's name. */
function namedQuestions(inputRequests: JsonObject, client: Client, asker: string | undefined) {
  return Object.entries(inputRequests).map(([key, question]) => {
    const { method, params = {} } = isObject(question) ? question : {};
    if (!isPlainKey(key)) throw malformed('the key of a question has other characters than letters, digits and _.:/-');
    if (typeof method !== 'string' || !isAskableMethod(method) || !isObject(params))
      throw malformed('the server asks for something that no client can be asked for');
    if (!isSafeQuestion(method, params)) throw malformed(UNSAFE_QUESTION);
    if (!isAskable(client, method, params))
      throw new BinderyError('CLIENT_CAPABILITY_MISSING', { detail: `the server asks for ${method}` });
    return [key, { method, params: namedQuestion(asker, method, params) }] as const;
  });
}

/** Clients may display the key of a question, and ours have a prefix of their own. */
function isPlainKey(key: string): boolean {
  return /^[\w.:/-]{1,256}$/.test(key) && key !== '__proto__' && !key.toLowerCase().startsWith(OWN_KEY_PREFIX);
}

const UNSAFE_QUESTION =
  'the server asks a person to open an address that has a password or is neither https nor on this machine, or with names that do not show as they are';
