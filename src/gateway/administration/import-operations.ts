import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { visible } from '../../contract/visible-text.ts';
import { CLIENTS } from '../import/client-formats.ts';
import type { AdministrationDeps, ImportPlan } from './deps.ts';

const CHANGES = { readOnly: false, destructive: true, idempotent: true, openWorld: false } as const;

const ImportedClient = z.object({
  client: z.string(),
  file: z.string(),
  servers: z.array(
    z.object({
      id: z.string(),
      action: z.enum(['add', 'unchanged', 'renamed', 'skipped']),
      as: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  replaced: z.boolean(),
});
type ImportedClient = z.output<typeof ImportedClient>;

const importClients = defineOperation({
  id: 'gateway.import',
  summary: 'Move the MCP servers of other clients behind the gateway.',
  input: z.strictObject({
    from: z
      .enum([...CLIENTS, 'file'])
      .optional()
      .describe('client; default: all that are found'),
    file: z.string().optional().describe('file to read instead of the client’s own'),
    replace: z.boolean().default(false).describe('replace the client’s entries by one that points at the gateway'),
    dry_run: z.boolean().default(false).describe('show what would be done'),
    yes: z.boolean().default(false).describe('do not ask'),
  }),
  output: z.object({ clients: z.array(ImportedClient), backup: z.string().nullable(), diff: z.string() }),
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'import',
    positional: ['file'],
    manyLines: ['diff'],
    visibleBefore: ['diff'],
    print: ({ clients, backup, diff }, input) =>
      `${planText(clients, input.dry_run ? diff : '')}${backup === null ? 'nothing was written\n' : `backup ${backup}; undo with: bindery restore\n`}`,
  },
  failures: defaultFailures,
  encode: ({ clients, backup }) => JSON.stringify({ clients, backup }),
  run: async (input, deps: AdministrationDeps) => {
    const { from, file, replace } = input;
    if (from === 'file' && file === undefined) throw new BinderyError('USAGE', { detail: '--from file needs a FILE' });
    const plan = await deps.planImport({ from: from ?? (file === undefined ? undefined : 'file'), file, replace });
    const clients = clientsOf(plan);
    const unwritten = { clients, backup: null, diff: plan.diff };
    if (input.dry_run || plan.diff === '') return unwritten;
    if (!input.yes && !(await deps.confirm(`${planText(clients, plan.diff)}Write this?`))) {
      throw new BinderyError('CONFIRMATION_REQUIRED');
    }
    return { ...unwritten, backup: await plan.apply() };
  },
});

const restoreClients = defineOperation({
  id: 'gateway.restore',
  summary: 'Undo an import: put every file back as it was, byte for byte.',
  input: z.strictObject({
    backup: z.string().optional().describe('id of the backup; default: the newest that was not restored'),
    force: z
      .boolean()
      .default(false)
      .describe('restore even if a file has changed since; the current one is backed up'),
  }),
  output: z.object({
    backup: z.string(),
    files: z.array(z.object({ path: z.string(), action: z.enum(['restored', 'removed', 'unchanged']) })),
  }),
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: { command: 'restore', print: ({ files }) => tabLines(files.map(({ action, path }) => [action, path])) },
  failures: defaultFailures,
  run: async ({ backup, force }, deps: AdministrationDeps) => {
    const restored = await deps.restore(backup, force);
    return { backup: restored.backup, files: restored.files.map((file) => ({ ...file })) };
  },
});

export const importOperations = [importClients, restoreClients];

function clientsOf({ clients }: ImportPlan): ImportedClient[] {
  return clients.map(({ client, file, servers, replaced }) => ({
    client,
    file,
    servers: servers.map(({ id, action, as, reason }) => ({ id, action, as, reason })),
    replaced,
  }));
}

function planText(clients: readonly ImportedClient[], diff: string): string {
  if (clients.length === 0) return 'no configuration of a client was found\n';
  const lines = clients.flatMap(({ client, file, servers, replaced }) => [
    `${visible`${client} (${file})`}${replaced ? ': its servers are replaced by one entry' : ''}\n`,
    ...servers.map(({ id, action, as, reason }) => tabLines([['', action, id, as === id ? '' : as, reason]])),
  ]);
  return `${lines.join('')}${diff}`;
}
