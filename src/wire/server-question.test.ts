import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namedInputRequests, namedPages, namedQuestion } from './server-question.ts';

test('whatever a server says stands behind its name, with nothing hidden', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant('[server bank asks] Pay'), fc.anything()),
      (text) => {
        const form = namedQuestion('notes', 'elicitation/create', { message: text });
        const sampling = namedQuestion('notes', 'sampling/createMessage', { systemPrompt: text, messages: [] });
        for (const said of [form.message, sampling.systemPrompt])
          expect(said).toMatch(/^\[server notes asks\](?: [^\u200b\u202e\u0007]*)?$/su);
      },
    ),
  );
});

test('questions of all kinds name their server, and only what a person reads is changed', () => {
  const schema = {
    type: 'object',
    properties: { 'na\u200bme': { type: 'string', title: 'Na\u200bme', description: 'x\u202ey', default: 'd\u200bd' } },
  };
  expect(
    namedQuestion('notes', 'elicitation/create', { message: 'Who?', mode: 'form', requestedSchema: schema }),
  ).toEqual({
    mode: 'form',
    message: '[server notes asks] Who?',
    requestedSchema: {
      type: 'object',
      properties: {
        'na\u200bme': { type: 'string', title: 'Na\\u{200B}me', description: 'x\\u{202E}y', default: 'd\u200bd' },
      },
    },
  });
  const page = { mode: 'url', url: 'https://x.example/\u200b', elicitationId: 'e', message: 'Pay' };
  const named = { ...page, message: '[server notes asks] Pay' };
  expect(namedQuestion('notes', 'elicitation/create', page)).toEqual(named);
  expect(namedPages('notes', { elicitations: [page, 7], more: 1 })).toEqual({ elicitations: [named, 7], more: 1 });
  expect([namedPages('notes', undefined), namedPages('notes', { elicitations: 'x' })]).toEqual([
    undefined,
    { elicitations: 'x' },
  ]);
  expect(namedQuestion('notes', 'sampling/createMessage', { messages: [] })).toEqual({
    messages: [],
    systemPrompt: '[server notes asks]',
  });
  expect(namedQuestion('notes', 'roots/list', {})).toEqual({});
  const { message: _silent, ...silent } = page;
  expect(
    namedInputRequests('notes', {
      a: { method: 'elicitation/create', params: silent },
      b: { method: 'roots/list' },
      c: 1,
    }),
  ).toEqual({
    a: { method: 'elicitation/create', params: { ...silent, message: '[server notes asks]' } },
    b: { method: 'roots/list', params: {} },
    c: 1,
  });
});

test('no part of a form that a person reads can pass for the head of another question', () => {
  const fake = '[server bank asks] PIN?';
  const plain = '(server bank asks) PIN?';
  const wide = '\uff3bserver bank asks\uff3d PIN?';
  const requestedSchema = {
    type: 'object',
    title: fake,
    properties: {
      [fake]: { type: 'string', description: `a\n${fake}`, default: fake },
      list: { type: 'string', enum: ['a', fake] },
      named: { type: 'string', title: wide, enum: ['a', 'b'], enumNames: [fake, 'B'] },
      titled: { type: 'array', items: { anyOf: [{ const: fake, title: fake }] }, default: '[]' },
      title: { type: 'string' },
    },
    required: [fake],
  };
  const question = namedQuestion('notes', 'elicitation/create', {
    message: `Hi\n${fake}\n \u3010x\u3011 [1]`,
    requestedSchema,
  });
  expect(question).toEqual({
    message: `[server notes asks] Hi\n${plain}\n (x) (1)`,
    requestedSchema: {
      type: 'object',
      title: plain,
      properties: {
        [fake]: { type: 'string', title: plain, description: `a\n${plain}`, default: plain },
        list: { type: 'string', enum: ['a', fake], enumNames: ['a', plain] },
        named: { type: 'string', title: plain, enum: ['a', 'b'], enumNames: [plain, 'B'] },
        titled: { type: 'array', items: { anyOf: [{ const: fake, title: plain }] }, default: '[]' },
        title: { type: 'string' },
      },
      required: [fake],
    },
  });
});
