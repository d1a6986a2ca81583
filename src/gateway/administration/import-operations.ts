import { z } from 'zod';
import { BinderyError, ERRORS } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { visible } from '../../contract/visible-text.ts';
import { CLIENTS } from '../import/client-formats.ts';
import type { AdministrationDeps, ImportPlan } from './deps.ts';

const COPIED = 'The clients keep their own entries.\nTo leave one entry, bindery, in each: bindery import --replace\n';
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

/** Client files that could not be written, and that are unchanged. */
export const Unwritten = z.array(z.object({ path: z.string(), reason: z.string() }));

const UndoneCommand = z.object({
  backup: z.string(),
  command: z.enum(['init', 'import', 'connect', 'disconnect', 'restore']),
  time: z.string(),
});

const Restored = z.object({
  backup: z.string().describe('id of the first that was undone'),
  undone: z.array(UndoneCommand).describe('what was undone, oldest first'),
  files: z.array(
    z.object({
      path: z.string(),
      action: z.enum(['restored', 'removed', 'unchanged', 'edited', 'left']),
      backup: z.string(),
      note: z.string().optional().describe('why something of what is undone stays in it'),
    }),
  ),
  process: z
    .object({ how: z.enum(['background', 'service']), pid: z.number().int() })
    .nullable()
    .describe('the gateway that was stopped'),
  left: UndoneCommand.nullable().describe('what one more restore would undo'),
  copy: z
    .object({ backup: z.string(), folder: z.string() })
    .optional()
    .describe('the backup of the changed files that --force replaced'),
});

const importClients = defineOperation({
  id: 'gateway.import',
  summary: 'Copy the MCP servers of your clients to Bindery; --replace also takes them out of the clients.',
  input: z.strictObject({
    from: z
      .enum([...CLIENTS, 'file'])
      .optional()
      .describe('client; default: all that are found'),
    file: z.string().optional().describe('file to read instead of the client’s own'),
    replace: z.boolean().default(false).describe('leave one entry, bindery, in each client in place of its servers'),
    dry_run: z.boolean().default(false).describe('show what would be done'),
    yes: z.boolean().default(false).describe('do not ask'),
  }),
  output: z.object({
    clients: z.array(ImportedClient),
    backup: z.string().nullable(),
    unwritten: Unwritten.describe('files of clients that could not be written'),
    left_out: z.array(z.string()).describe('clients whose file cannot be read'),
    diff: z.string(),
  }),
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'import',
    positional: ['file'],
    manyLines: ['diff'],
    visibleBefore: ['diff'],
    exit: ({ unwritten, left_out }) => (unwritten.length + left_out.length === 0 ? 0 : 1),
    print: ({ clients, backup, unwritten, diff }, { dry_run, replace }) =>
      [
        planText(clients, dry_run ? diff : ''),
        unwrittenText(unwritten),
        backup === null ? 'nothing was written\n' : `backup ${backup}; undo with: bindery restore\n`,
        replace || clients.every(({ servers }) => servers.length === 0) ? '' : COPIED,
      ].join(''),
  },
  failures: defaultFailures,
  encode: ({ clients, backup, unwritten, left_out }) => JSON.stringify({ clients, backup, unwritten, left_out }),
  run: async (input, deps: AdministrationDeps) => {
    const { from, file, replace } = input;
    if (from === 'file' && file === undefined) throw new BinderyError('USAGE', { detail: '--from file needs a FILE' });
    const plan = await deps.planImport({ from: from ?? (file === undefined ? undefined : 'file'), file, replace });
    const clients = clientsOf(plan);
    const planned = { clients, backup: null, unwritten: [], left_out: [...plan.leftOut], diff: plan.diff };
    if (input.dry_run || plan.diff === '') return planned;
    if (!input.yes && !(await deps.confirm(`${planText(clients, plan.diff)}Write this?`))) {
      throw new BinderyError('CONFIRMATION_REQUIRED');
    }
    const { backup, unwritten } = await plan.apply();
    const isWritten = (file: string) => unwritten.every(({ path }) => path !== file);
    const done = clients.map((client) => ({ ...client, replaced: client.replaced && isWritten(client.file) }));
    return { ...planned, clients: done, backup, unwritten: [...unwritten] };
  },
});

const restoreClients = defineOperation({
  id: 'gateway.restore',
  summary:
    'Undo the newest init or import, and what connect and disconnect did after it: files are as before, byte for byte.',
  input: z.strictObject({
    backup: z.string().optional().describe('id of the backup to undo; default: the newest init or import'),
    dry_run: z.boolean().default(false).describe('show what would be done'),
    force: z
      .boolean()
      .default(false)
      .describe('put back files that have changed since, too, after a backup of the current ones'),
  }),
  output: Restored,
  hints: CHANGES,
  http: false,
  mcp: false,
  cli: {
    command: 'restore',
    exit: ({ files }) => (files.some(isLeft) ? 1 : 0),
    print: (restored, { dry_run }) => restoredText(restored, dry_run),
  },
  failures: defaultFailures,
  run: async (input, deps: AdministrationDeps) => {
    const { undone, files, ...others } = await deps.restore(input);
    return { backup: undone[0]?.backup ?? '', undone: [...undone], files: [...files], ...others };
  },
});

export const importOperations = [importClients, restoreClients];

/** Lists the unwritten files, which keep their servers, and the remedy. */
export function unwrittenText(unwritten: z.output<typeof Unwritten>): string {
  if (unwritten.length === 0) return '';
  const lines = unwritten.map(({ reason }) => visible`not written: ${reason}\n`);
  return `${lines.join('')}${ERRORS.CONFIG_UNWRITABLE.next} Then run the command again.\n`;
}

type RestoredFile = z.output<typeof Restored>['files'][number];

function isLeft({ note }: RestoredFile): boolean {
  return note !== undefined;
}

/** Lists each undone command, the files that its backup restored, what stays, and other effects. */
function restoredText(restored: z.output<typeof Restored>, isDry: boolean): string {
  const { undone, files, process: stopped, left, copy } = restored;
  const did = isDry ? 'Would undo' : 'Undid';
  const commands = undone.map(({ backup, ...command }) => {
    const own = files.filter((file) => file.backup === backup);
    return `${did} ${commandName(command)}, backup ${backup}\n${tabLines(own.map(({ action, path }) => [action, path]))}`;
  });
  return [
    ...commands,
    ...files
      .filter(({ action }) => action === 'edited')
      .map(({ path }) => `In ${path}, what was changed since stays.\n`),
    ...files.flatMap(({ path, note }) => (note === undefined ? [] : [`Left in ${path}: ${note}\n`])),
    files.some(isLeft) ? LEFT : '',
    copy ? copyText(copy) : '',
    stopped === null ? '' : `${isDry ? 'Would stop' : 'Stopped'} the gateway (process ${stopped.pid})\n`,
    left === null ? '' : `Still there: ${commandName(left)}; undo it with: bindery restore\n`,
    isDry ? 'Nothing was written.\n' : '',
  ].join('');
}

const LEFT =
  'To put everything back as it was: bindery restore --force (it keeps a copy)\nTo take only the entry of Bindery out of a client: bindery disconnect CLIENT\n';

function copyText({ backup, folder }: NonNullable<z.output<typeof Restored>['copy']>): string {
  return `What --force replaced is kept in ${folder}\nTo bring it back: bindery restore --backup ${backup}\n`;
}

function commandName({ command, time }: Pick<z.output<typeof UndoneCommand>, 'command' | 'time'>): string {
  return `the ${command} of ${time.slice(0, 19).replace('T', ' ')} UTC`;
}

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
