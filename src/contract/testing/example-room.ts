import { z } from 'zod';
import { BinderyError } from '../errors.ts';
import { defaultFailures } from '../execute.ts';
import { defineOperation, READ_ONLY, type Room } from '../operation.ts';

export interface ExampleDeps {
  readonly factor: number;
}

const scale = defineOperation({
  id: 'example.scale',
  summary: 'Multiply numbers by the factor of the room.',
  input: z.strictObject({
    unit: z.string().min(1).max(8).describe('what is counted'),
    numbers: z.array(z.number().int()).max(5).default([]).describe('what to multiply'),
    negate: z.boolean().default(false).describe('change the sign'),
  }),
  output: z.object({ unit: z.string(), numbers: z.array(z.number()) }),
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/v1/example/{unit}',
    meta: () => ({ headers: { 'cache-control': 'public, max-age=60' } }),
    etag: (output) => `"${output.numbers.join('-')}"`,
  },
  mcp: { tool: 'scale' },
  cli: { command: 'example scale', positional: ['unit'] },
  failures: defaultFailures,
  run: ({ unit, numbers, negate }, deps: ExampleDeps) => ({
    unit,
    numbers: numbers.map((value) => value * deps.factor * (negate ? -1 : 1)),
  }),
});

const store = defineOperation({
  id: 'example.store',
  summary: 'Store a name; some names are refused and some break.',
  input: z.strictObject({ name: z.string() }),
  output: z.object({ stored: z.string() }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/v1/example', meta: () => ({ status: 201 }), bodyBytesMax: 64 },
  mcp: { tool: 'store' },
  cli: { command: 'example store', print: (output) => `stored ${output.stored}\n` },
  failures: defaultFailures,
  run: ({ name }, _deps: ExampleDeps, call) => {
    if (name === 'taken') throw new BinderyError('PORT_IN_USE', { detail: 'that name', members: { name } });
    if (name === 'broken') throw new Error('a secret path');
    call.progress(1, 1, 'stored');
    return { stored: name };
  },
});

/** A room for tests of the projections: one operation that reads, one that writes. */
export const exampleRoom: Room<ExampleDeps> = {
  name: 'example',
  summary: 'a room for tests',
  operations: [scale, store],
};
