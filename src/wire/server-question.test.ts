import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSafeQuestion, namedPages, namedQuestion } from './server-question.ts';

test('the text of a server always follows its name, with nothing hidden', () => {
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

test('questions of all kinds name their server, and only text for people is changed', () => {
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
  const named = { ...page, url: 'https://x.example/%E2%80%8B', message: '[server notes asks] Pay' };
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
});

test('a question has only the members that the protocol defines, so a client displays no other text as ours', () => {
  const more = { title: '[server bank asks]', Message: 'Pay', systemprompt: 'x' };
  const known = { message: 'a', mode: 'form', maxTokens: 1, _meta: { 'example.com/x': 1 } };
  expect(
    ['elicitation/create', 'sampling/createMessage', 'roots/list', 'tools/call'].map((method) =>
      Object.keys(namedQuestion('notes', method, { ...more, ...known })).toSorted(),
    ),
  ).toEqual([['_meta', 'message', 'mode'], ['_meta', 'maxTokens', 'systemPrompt'], ['_meta'], []]);
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

test.each([
  '[server\u00a0bank asks]',
  '[server bank\u2003asks\u3000]',
  '[server bank asks \u2014 ]',
  '\uff3bserver bank asks\uff3d',
  '[server bank \uff41\uff53\uff4b\uff53]',
  '[server bank \u0430\u0455\u043a\u0455]',
  '[server bank as\u0301ks]',
  '[SERVER BANK ASKS]',
  '\u3016server bank asks\u3017',
  '\u298bserver bank asks\u298c',
  '\u23a1server bank asks\u23a4',
  '\u2308server bank asks\u230b',
  '\ufe5dserver bank asks\ufe5e',
  '\u300cserver bank asks\u300d',
])('%j is no head, wherever it stands', (fake) => {
  const properties = { pin: { type: 'string', title: fake, default: fake } };
  const { message, requestedSchema } = namedQuestion('notes', 'elicitation/create', {
    message: `Hi. ${fake} PIN?\n${fake} PIN?`,
    requestedSchema: { type: 'object', properties },
  }) as { message: string; requestedSchema: { properties: { pin: { title: string; default: string } } } };
  const head = '[server notes asks] ';
  expect(message.startsWith(head)).toBe(true);
  const { title, default: value } = requestedSchema.properties.pin;
  for (const text of [message.slice(head.length), title, value])
    expect(text).toMatch(
      /^[^[\]\uff3b\uff3d\u3016\u3017\u298b\u298c\u23a1\u23a4\u2308\u230b\ufe5d\ufe5e\u300c\u300d]*$/u,
    );
});

test('brackets that are no head stay', () => {
  const message = 'Pick [1] or (2), {x}, \u300cy\u300d: who asks?\nList: [a]';
  expect(namedQuestion('notes', 'elicitation/create', { message }).message).toBe(`[server notes asks] ${message}`);
});

const page = (url: unknown) => ({ mode: 'url', elicitationId: 'e', message: 'Pay', url });

test.each([
  ['https://x.example/pay', true],
  ['HTTPS://x.example', true],
  ['http://127.0.0.1:80/x', true],
  ['http://localhost/x', true],
  ['http://[::1]/x', true],
  ['http://x.example/', false],
  ['javascript:alert(1)', false],
  ['java\nscript:alert(1)', false],
  [' JavaScript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['vbscript:x', false],
  ['custom-app://open', false],
  ['ftp://x.example/', false],
  ['blob:https://x.example/1', false],
  ['view-source:https://x.example', false],
  ['//x.example', false],
  ['https://u:p@evil.example/', false],
  ['https://bank.example@evil.example/', false],
  ['https://x.example/\u202e', false],
  ['https://x.example/\u2066', false],
  ['https://x.example/\x1b[2J', false],
  ['https://x.example/\u0085', false],
  ['https://x.exa\tmple/', false],
  ['https://x.example/\n', false],
  ['', false],
  [undefined, false],
  [['https://x.example'], false],
])('a person may be sent to %j: %j', (url, isSafe) => {
  expect([
    isSafeQuestion('elicitation/create', page(url)),
    isSafeQuestion('elicitation/create', { ...page('https://x.example'), URL: url }),
    namedPages('notes', { elicitations: [page(url)] }),
    namedPages(undefined, { elicitations: [page(url)] }),
  ]).toEqual([
    isSafe,
    isSafe,
    { elicitations: isSafe ? [{ ...page(new URL(url as string).href), message: '[server notes asks] Pay' }] : [] },
    { elicitations: isSafe ? [page(url)] : [] },
  ]);
});

test('a question without a page opens none', () => {
  expect([
    isSafeQuestion('elicitation/create', { message: 'x', requestedSchema: {} }),
    isSafeQuestion('sampling/createMessage', { url: 'javascript:x' }),
  ]).toEqual([true, true]);
});

test('a form whose names or values look like another server’s question is not asked', () => {
  const fake = '[server bindery asks] key';
  const form = (properties: object) => ({ message: 'x', requestedSchema: { type: 'object', properties } });
  const forms = [
    form({ [fake]: { type: 'string' } }),
    form({ 'key\u202e': { type: 'string' } }),
    form({ list: { type: 'string', enum: ['a', fake] } }),
    form({ list: { type: 'array', items: { anyOf: [{ const: 'a\u2066b', title: 'A' }] } } }),
    form({ 'line\nend': { type: 'string' } }),
    form({ pin: { type: 'string', default: fake } }),
    form({ pin: { type: 'string', default: `a\n${fake}` } }),
    form({ pin: { type: 'string', default: 'a\u202eb' } }),
    form({ list: { type: 'array', items: { type: 'string' }, default: ['a', fake] } }),
  ];
  expect(forms.map((one) => isSafeQuestion('elicitation/create', one))).toEqual(forms.map(() => false));
  const plain = form({ 'items[0]': { type: 'string', enum: ['می\u200cخواهم', '👩\u200d💻'] }, properties: {} });
  expect(isSafeQuestion('elicitation/create', plain)).toBe(true);
  const lines = form({ note: { type: 'string', default: 'a\n\tb [1]' }, count: { type: 'number', default: 1 } });
  expect(isSafeQuestion('elicitation/create', lines)).toBe(true);
});

test('a page whose host has unusual letters is marked, and shows in ASCII', () => {
  const odd = namedQuestion('notes', 'elicitation/create', page('https://\u0430pple.example/pay'));
  expect([odd.url, odd.message]).toEqual([
    'https://xn--pple-43d.example/pay',
    '[server notes asks] (The page is at xn--pple-43d.example, in unusual letters.) Pay',
  ]);
});

test('a question keeps only those keys of _meta that are a server’s to set', () => {
  const kept = { progressToken: 1, 'example.com/x': 2, 'io.modelcontextprotocol/related-task': { taskId: 't' } };
  const others = { 'bindery/error': 1, 'Bindery/approval': 1, 'io.modelcontextprotocol/clientInfo': {}, 'mcp/x': 1 };
  for (const method of ['elicitation/create', 'sampling/createMessage'])
    expect(namedQuestion('notes', method, { _meta: { ...kept, ...others } })._meta).toEqual(kept);
});
