import { setTimeout as sleep } from 'node:timers/promises';
import { abortSignalOf, type CancelSignal } from '../../../contract/cancellation.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

export interface InputRounds {
  /** Answers one embedded question; rejects if it cannot be answered. */
  readonly ask: (question: { readonly method: string; readonly params?: JsonObject }) => Promise<JsonObject>;
  /** Repeats the original call with further params, under a new id. */
  readonly repeat: (further: JsonObject) => Promise<JsonObject>;
  readonly signal: CancelSignal | undefined;
}

export function isInputRequired(result: JsonObject): boolean {
  return result.resultType === 'input_required';
}

/** Answers the `input_required` rounds of a 2026 call until the call is complete. */
export async function runInputRounds(first: JsonObject, rounds: InputRounds): Promise<JsonObject> {
  let result = first;
  for (let round = 0; isInputRequired(result); round++) {
    if (round >= LIMITS.inputRoundsMax) {
      throw new UpstreamError('bad_answer', `the server still asks for input after ${LIMITS.inputRoundsMax} rounds`);
    }
    const questions = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
    if (questions.length === 0)
      await sleep(LIMITS.inputRetryMs, undefined, rounds.signal ? { signal: abortSignalOf(rounds.signal) } : {});
    const answers = await Promise.all(
      questions.map(async ([key, question]) => [key, await askOne(question, rounds)] as const),
    );
    result = await rounds.repeat({
      ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
      ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
    });
  }
  return result;
}

function askOne(question: unknown, rounds: InputRounds): Promise<JsonObject> {
  if (!isObject(question) || typeof question.method !== 'string') {
    throw new UpstreamError('bad_answer', 'the server asks for input without saying what it asks');
  }
  const { method, params } = question;
  return rounds.ask(isObject(params) ? { method, params } : { method });
}
