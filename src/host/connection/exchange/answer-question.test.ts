import { expect, test } from 'vitest';
import type { Question } from '../ports.ts';
import { answerQuestion, declaredCapabilities } from './answer-question.ts';

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

test('each kind of question goes to its own callback, with the server’s name; without a callback it is refused', async () => {
  const heard: string[] = [];
  const hears = (name: string) => async (question: Question) => {
    heard.push(`${name} ${question.serverId} ${question.signal === signal} ${question.params.message ?? ''}`.trim());
    return { action: 'accept', roots: [] };
  };
  const callbacks = {
    roots: hears('roots'),
    sampling: hears('sampling'),
    elicitation: { form: hears('form'), url: hears('url') },
  };
  const ask = (given: object, method: string, params?: object) =>
    answerQuestion(given, 'notes', { method, ...(params ? { params } : {}) } as never, signal);
  await ask(callbacks, 'roots/list');
  await ask(callbacks, 'sampling/createMessage', {});
  await ask(callbacks, 'elicitation/create', { message: 'Who?' });
  await ask(callbacks, 'elicitation/create', { mode: 'url', url: 'https://a.example/', message: 'Go' });
  const refused = [
    await ask(callbacks, 'tools/list'),
    await ask({}, 'roots/list'),
    await ask({ elicitation: { form: hears('form') } }, 'elicitation/create', {
      mode: 'url',
      url: 'https://a.example/',
    }),
    await ask({ elicitation: { url: hears('url') } }, 'elicitation/create', {}),
  ];
  expect(refused.map((reply) => reply.kind === 'error' && reply.code)).toEqual([-32601, -32601, -32601, -32601]);
  expect(heard).toEqual([
    'roots notes true',
    'sampling notes true',
    'form notes true [server notes asks] Who?',
    'url notes true [server notes asks] Go',
  ]);
  expect(await ask(callbacks, 'elicitation/create', { mode: 'url', url: 'javascript:1' })).toMatchObject({
    code: -32602,
  });
  expect(heard.length).toBe(4);
});

test('the declared capabilities are those with callbacks, or the given ones', () => {
  const callback = async () => ({});
  const declared = (callbacks: object, capabilities?: object) =>
    declaredCapabilities({
      info: { name: 'a', version: '1' },
      callbacks,
      ...(capabilities ? { capabilities } : {}),
    } as never);
  expect([
    declared({}),
    declared({ roots: callback }),
    declared({ sampling: callback, elicitation: {} }),
    declared({ elicitation: { form: callback } }),
    declared({ elicitation: { url: callback } }),
    declared({ roots: callback }, { sampling: {} }),
  ]).toEqual([
    {},
    { roots: {} },
    { sampling: {} },
    { elicitation: { form: {} } },
    { elicitation: { url: {} } },
    { sampling: {} },
  ]);
});

test('an accepted form gets defaults for missing members, and given values stay', async () => {
  const properties = { a: { default: 1 }, b: { default: 2 }, c: {}, d: 'odd', e: { default: null } };
  const filled = async (answer: object, requestedSchema: unknown) => {
    const reply = await asked('elicitation/create', answer, { requestedSchema });
    return reply.kind === 'result' ? reply.result.content : reply;
  };
  expect([
    await filled({ action: 'accept', content: { a: 7 } }, { properties }),
    await filled({ action: 'accept' }, { properties }),
    await filled({ action: 'decline', content: { a: 7 } }, { properties }),
    await filled({ action: 'accept', content: { a: 7 } }, { properties: 'none' }),
    await filled({ action: 'accept', content: { a: 7 } }, undefined),
  ]).toEqual([{ a: 7, b: 2, e: null }, { a: 1, b: 2, e: null }, { a: 7 }, { a: 7 }, { a: 7 }]);
  // Only forms have defaults.
  const sampled = await asked('sampling/createMessage', { action: 'accept' }, { requestedSchema: { properties } });
  expect(sampled).toEqual({ kind: 'result', result: { action: 'accept' } });
});
