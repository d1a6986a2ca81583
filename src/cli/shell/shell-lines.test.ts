import { describe, expect, test } from 'vitest';
import { parseAnswer, permissionQuestion } from './ask-permission.ts';
import { completeLine } from './complete-line.ts';
import { parseLine } from './parse-line.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    lines: { type: 'integer' },
    deep: { type: 'boolean' },
    mode: { type: 'string', enum: ['fast', 'full'] },
    list: { type: 'array' },
  },
  required: ['mode'],
};
const parse = (line: string) => parseLine(line, (tool) => (tool === 'files/read' ? schema : undefined));

describe('a line', () => {
  test.each([
    ['  ', { kind: 'empty' }],
    ['/mcp files', { kind: 'command', name: 'mcp', words: ['files'] }],
    ['files/read', { kind: 'call', tool: 'files/read', args: {} }],
    ['files/read {"path": "/a"}', { kind: 'call', tool: 'files/read', args: { path: '/a' } }],
    [
      'files/read path=/a/b=c lines=3 deep=true list=[1,2]',
      { kind: 'call', tool: 'files/read', args: { path: '/a/b=c', lines: 3, deep: true, list: [1, 2] } },
    ],
    [
      'files/read path="two \\"words\\"" other=\'it is 5\'',
      { kind: 'call', tool: 'files/read', args: { path: 'two "words"', other: 'it is 5' } },
    ],
    ['files/read path=12', { kind: 'call', tool: 'files/read', args: { path: '12' } }],
    ['files/read lines=many', { kind: 'call', tool: 'files/read', args: { lines: 'many' } }],
    ['files/read {"path"', { kind: 'wrong', message: 'the arguments are not a JSON object' }],
    [
      'files/read lines=9007199254740993',
      {
        kind: 'wrong',
        message: '9007199254740993 would be changed to 9007199254740992: numbers have about 16 digits here',
      },
    ],
    [
      'files/read {"list": [1e400]}',
      { kind: 'wrong', message: '1e400 would be changed to Infinity: numbers have about 16 digits here' },
    ],
    ['files/read nonsense', { kind: 'wrong', message: 'arguments are written as name=value or as one JSON object' }],
  ])('[host:H11] %j', (line, expected) => {
    expect(parse(line)).toEqual(expected);
  });
});

describe('completion', () => {
  const known = {
    prompts: [{ name: 'fix/greet', args: ['who'] }],
    serverIds: ['files', 'memory'],
    tools: [
      { name: 'files/read', schema },
      { name: 'memory/add', schema: {} },
    ],
  };

  test.each([
    ['/m', ['/mcp']],
    ['fi', ['files/read ']],
    ['/mcp f', ['files']],
    ['/mcp re', ['reconnect', 'reload']],
    ['/mcp logs m', ['memory']],
    ['files/read ', ['mode=', 'path=', 'lines=', 'deep=', 'list=']],
    ['files/read p', ['path=']],
    ['files/read path=x ', ['mode=', 'lines=', 'deep=', 'list=']],
    ['files/read mode=fu', ['mode=full']],
    ['files/read deep=', ['deep=true', 'deep=false']],
    ['unknown/tool a', []],
    ['memory/add ', []],
  ])('[host:H11] of %j', (line, hits) => {
    expect(completeLine(line, known)).toEqual([hits, line.split(' ').at(-1)]);
  });
});

describe('a permission prompt', () => {
  test('[host:X21] [host:H8] names server, tool and arguments', () => {
    const question = permissionQuestion({
      ...{
        server: 'files',
        tool: 'write',
        arguments: { path: '/a' },
        readOnly: false,
        destructive: true,
        declared: true,
      },
    });
    expect(question).toBe(
      [
        'files/write wants to run (the server says that it may change or delete things; nobody has checked that)',
        '  {',
        '    "path": "/a"',
        '  }',
        'y = once, s = this session, a = always ("s server", "a read-only": for more),',
        'n [reason] = no',
        '',
      ].join('\n'),
    );
  });

  test('[host:H8] says how much of long arguments is not shown', () => {
    const request = {
      server: 's',
      tool: 't',
      arguments: 'x'.repeat(5000),
      readOnly: true,
      destructive: false,
      declared: true,
    };
    expect(permissionQuestion(request)).toContain('… and 3002 more characters');
  });

  test.each([
    ['y', { decision: 'allow', remember: 'once' }],
    ['yes', { decision: 'allow', remember: 'once' }],
    ['s', { decision: 'allow', remember: 'session', extent: 'tool' }],
    ['s server', { decision: 'allow', remember: 'session', extent: 'server' }],
    ['a read-only', { decision: 'allow', remember: 'always', extent: 'read_only' }],
    ['ALWAYS', { decision: 'allow', remember: 'always', extent: 'tool' }],
    ['n', { decision: 'deny' }],
    ['no not that file', { decision: 'deny', reason: 'not that file' }],
    ['', undefined],
    ['y server', undefined],
    ['yikes', undefined],
    ['s everything', undefined],
  ])('[host:H8] the answer %j', (line, answer) => {
    expect(parseAnswer(line)).toEqual(answer);
  });
});
