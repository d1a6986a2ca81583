import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { visible } from '../../contract/visible-text.ts';
import { CLIENTS, setKeyCommand } from '../import/client-formats.ts';
import type { AdministrationDeps } from './deps.ts';

const CHANGES = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;
const client = z.enum(CLIENTS).describe('the client');
const file = z.string().optional().describe('file to change instead of the client’s own');

/** What to do if the gateway requires a credential. */
export function keyAdvice(variable: string, name: string): string {
  return [
    `The gateway wants a key, which the entry reads from ${variable}.`,
    `Make one, and start ${name} from the same terminal:`,
    `  ${setKeyCommand(name)}`,
    "To write the key into the file instead: --header 'Authorization: Bearer KEY'",
    '',
  ].join('\n');
}

const Connected = z.object({
  client: z.string(),
  file: z.string(),
  action: z.enum(['written', 'unchanged', 'printed', 'removed', 'foreign']),
  backup: z.string().nullable(),
  text: z.string().nullable(),
  key_variable: z
    .string()
    .nullable()
    .describe('environment variable from which the entry reads the key that the gateway wants'),
});

const connectClient = defineOperation({
  id: 'gateway.connect',
  summary: 'Add the gateway to an MCP client’s config and change nothing else in the file.',
  input: z.strictObject({
    client,
    file,
    header: z.array(z.string()).default([]).describe("header that the gateway needs, as 'Name: value'"),
    print: z.boolean().default(false).describe('print the entry and write nothing'),
    force: z.boolean().default(false).describe('replace another server that is named bindery'),
    link: z.boolean().default(false).describe('print a link that adds the entry, for cursor and vscode'),
  }),
  output: Connected,
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'connect',
    positional: ['client'],
    manyLines: ['text'],
    note: ({ client: name, key_variable }) => (key_variable === null ? '' : keyAdvice(key_variable, name)),
    print: ({ client: name, file: path, action, backup, text }, { file: given }) => {
      if (action === 'printed') return text ?? '';
      if (action === 'unchanged') return visible`${name} is connected already (${path})\n`;
      const undo = given === undefined ? `bindery disconnect ${name}` : `bindery restore --backup ${backup}`;
      return visible`connected ${name} (${path})\nStart ${name} again so that it reads the file.\nUndo: ${undo}\n`;
    },
  },
  failures: defaultFailures,
  run: (input, deps: AdministrationDeps) => deps.connect(input),
});

const disconnectClient = defineOperation({
  id: 'gateway.disconnect',
  summary:
    'Remove the gateway from an MCP client’s config; a file that only `connect` changed is restored byte for byte.',
  input: z.strictObject({ client, file }),
  output: Connected,
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'disconnect',
    positional: ['client'],
    print: ({ client: name, file: path, action, backup }, { file: given }) => {
      if (action === 'unchanged') return visible`${name} is not connected (${path})\n`;
      if (action === 'foreign') return visible`${name} is not connected: bindery is another server there (${path})\n`;
      const again = `bindery connect ${name}${given === undefined ? '' : ` --file ${given}`}`;
      const undo = backup === null ? again : `bindery restore --backup ${backup}`;
      return visible`disconnected ${name} (${path})\nStart ${name} again so that it reads the file.\nUndo: ${undo}\n`;
    },
  },
  failures: defaultFailures,
  run: (input, deps: AdministrationDeps) => deps.disconnect(input),
});

export const connectOperations = [connectClient, disconnectClient];
