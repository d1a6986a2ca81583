import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import type { AdministrationDeps } from './deps.ts';

const createBackup = defineOperation({
  id: 'gateway.backup_create',
  summary: 'Back up config, policy, registry, audit log and keys to one file.',
  input: z.strictObject({ file: z.string().describe('file to write; it must not exist') }),
  output: z.object({
    file: z.string(),
    files: z.number().int(),
    bytes: z.number().int(),
    left_out: z
      .array(z.string())
      .describe('files of the data directory that must not be copied: salts and pepper of civic'),
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'backup create',
    positional: ['file'],
    print: ({ file, files, bytes, left_out }) =>
      `wrote ${file}: ${files} files, ${bytes} bytes\n${left_out.length === 0 ? '' : `${leftOutLine(left_out)}\n`}`,
  },
  failures: defaultFailures,
  run: async ({ file }, deps: AdministrationDeps) => {
    const { left_out, ...written } = await deps.backups.create(file);
    return { ...written, left_out: [...left_out] };
  },
});

const restoreBackup = defineOperation({
  id: 'gateway.backup_restore',
  summary: 'Restore config, policy, registry, audit log and keys from a backup; existing files are set aside.',
  input: z.strictObject({ file: z.string().describe('file that `backup create` wrote') }),
  output: z.object({
    files: z.number().int(),
    records: z.number().int(),
    set_aside: z.string().describe('folder with the files that were there before'),
  }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'backup restore',
    positional: ['file'],
    print: ({ files, records, set_aside }) =>
      `restored ${files} files; the audit log holds ${records} records\nwhat was there before is in ${set_aside}\n`,
  },
  failures: defaultFailures,
  run: ({ file }, deps: AdministrationDeps) => deps.backups.restore(file),
});

function leftOutLine(names: readonly string[]): string {
  return `left out on purpose: ${names.join(', ')}. Addresses are hashed with them; they are destroyed in time, and no copy may outlive that.`;
}

export const backupOperations = [createBackup, restoreBackup];
