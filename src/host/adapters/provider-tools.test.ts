import { expect, test } from 'vitest';
import type { HostTool } from './host-tool.ts';
import { aiSdkTools, anthropicResult, anthropicTools, openAiResult, openAiTools } from './provider-tools.ts';
import { errorResult, textResult, toToolResult } from './tool-result.ts';

const PIXEL = Buffer.from('pixel').toString('base64');

function tool(parameters: HostTool['parameters']): HostTool {
  return {
    ...{ name: 'mcp_s_t_00000000', description: 'does things', parameters, origin: { server: 's', tool: 't' } },
    ...{ readOnly: false, destructive: true, flags: [] },
    execute: async (args, { signal } = {}) =>
      textResult(`${JSON.stringify(args)} ${signal ? 'with' : 'without'} a signal`),
  };
}

const plain = tool({ $schema: 'x', type: 'object', properties: { a: { type: 'string' } } });
const schema = { type: 'object', properties: { a: { type: 'string' } } };

test('[host:H11] the form of OpenAI', () => {
  expect(openAiTools([plain])).toEqual([
    {
      type: 'function',
      function: { name: 'mcp_s_t_00000000', description: 'does things', parameters: schema, strict: false },
    },
  ]);
  expect(openAiResult('call_1', textResult('done'))).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'done' });
});

test('[host:H11] the form of Anthropic, with images as images', () => {
  expect(anthropicTools([plain])).toEqual([
    { name: 'mcp_s_t_00000000', description: 'does things', input_schema: schema },
  ]);
  const content = [
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'image', data: `${PIXEL}AA==`, mimeType: 'image/tiff' },
  ];
  expect(anthropicResult('toolu_1', toToolResult({ content, isError: true }))).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    is_error: true,
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      { type: 'text', text: expect.stringMatching(/^\[image image\/tiff, \d+ bytes\]$/) },
    ],
  });
  expect(anthropicResult('x', toToolResult({})).content).toHaveLength(1);
});

test('[host:P8] a property name that Anthropic rejects does not fail the request', () => {
  const odd = tool({
    ...{ type: 'object', properties: { a: {}, 'two words': {}, $filter: {} }, required: ['a', '$filter'] },
    additionalProperties: false,
  });
  expect(anthropicTools([odd])[0]?.input_schema).toEqual({
    type: 'object',
    properties: { a: {} },
    required: ['a'],
    description: 'It also takes: "two words", "$filter".',
  });
});

test('[host:H11] the form of the AI SDK: a marked schema, execute with its signal, output for the model', async () => {
  const made = aiSdkTools([plain]).mcp_s_t_00000000;
  expect(made?.inputSchema).toMatchObject({ [Symbol.for('vercel.ai.schema')]: true, jsonSchema: schema });
  expect('validate' in (made?.inputSchema ?? {})).toBe(true);
  const { signal } = new AbortController();
  const ran = await made?.execute({ a: 'x' }, { abortSignal: signal });
  expect(ran?.text).toBe('{"a":"x"} with a signal');
  expect(made?.toModelOutput(textResult('fine'))).toEqual({ type: 'content', value: [{ type: 'text', text: 'fine' }] });
  expect(made?.toModelOutput({ output: errorResult('bad') })).toEqual({ type: 'error-text', value: 'bad' });
});
