import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { publicToolName } from '../../contract/tool-names.ts';
import { sha256Hex } from '../adapters/server-tools.ts';
import type { HostDeps } from './deps.ts';

export const toolName = defineOperation({
  id: 'host.tool-name',
  summary: 'Print the public name of a tool; the server and the tool need not exist.',
  input: z.strictObject({
    server: z.string().min(1).describe('id of the server'),
    tool: z.string().min(1).describe('original name of the tool'),
    style: z.enum(['qualified', 'hashed']).default('qualified').describe('how the name is made'),
  }),
  output: z.object({ server: z.string(), tool: z.string(), style: z.string(), name: z.string() }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: { command: 'tools name', positional: ['server', 'tool'], print: ({ name }) => `${name}\n` },
  failures: defaultFailures,
  run: ({ server, tool, style }, _deps: HostDeps) => ({
    server,
    tool,
    style,
    name: publicToolName(server, tool, style, sha256Hex),
  }),
});
