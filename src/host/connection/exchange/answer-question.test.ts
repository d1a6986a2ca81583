import { expect, test } from 'vitest';
import type { Question } from '../ports.ts';
import { answerQuestion } from './answer-question.ts';

const signal = new AbortController().signal;
const REFUSED = { kind: 'error', code: -32603, message: 'The client could not answer' };

const asked = (method: string, answer: unknown, params = {}) => {
  const callback = async (_question: Question) => answer as never;
  const callbacks = { roots: callback, sampling: callback, elicitation: { form: callback, url: callback } };
  return answerQuestion(callbacks, 'notes', { method, params }, signal);
};

test.each([
  ['nothing', undefined],
  ['true', true],
  ['a word', 'accept'],
  ['an array', [{ action: 'accept' }]],
  ['an empty object', {}],
  ['capitals', { action: 'ACCEPT' }],
  ['content without an action', { content: { ok: true } }],
  ['content that is no object', { action: 'accept', content: 'yes' }],
])('%s does not answer a form: the server gets an error, and no consent', async (_name, answer) => {
  const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean', default: true } } };
  expect(await asked('elicitation/create', answer, { requestedSchema })).toEqual(REFUSED);
  expect(await asked('elicitation/create', answer, { mode: 'url', url: 'https://example.com' })).toEqual(REFUSED);
});

test.each(['accept', 'decline', 'cancel'])('the action %s is passed on', async (action) => {
  expect(await asked('elicitation/create', { action })).toEqual({ kind: 'result', result: { action } });
});

test.each(['roots/list', 'sampling/createMessage'])('%s is answered with an object or not at all', async (method) => {
  expect(await asked(method, 'text')).toEqual(REFUSED);
  expect(await asked(method, { roots: [] })).toEqual({ kind: 'result', result: { roots: [] } });
});
