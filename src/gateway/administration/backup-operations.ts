import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import type { AdministrationDeps } from './deps.ts';

const createBackup = defineOperation({
  id: 'gateway.backup_create',
  summary: 'Back up config, registry, audit log and keys to one file.',
  input: z.strictObject({ file: z.string().describe('file to write; it must not exist') }),
  output: z.object({ file: z.string(), files: z.number().int(), bytes: z.number().int() }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'backup create',
    positional: ['file'],
    print: ({ file, files, bytes }) => `wrote ${file}: ${files} files, ${bytes} bytes\n`,
  },
  failures: defaultFailures,
  run: ({ file }, deps: AdministrationDeps) => deps.backups.create(file),
});

const restoreBackup = defineOperation({
  id: 'gateway.backup_restore',
  summary: 'Restore config, registry, audit log and keys from a backup; existing files are set aside.',
  input: z.strictObject({ file: z.string().describe('file that `backup create` wrote') }),
  output: z.object({ files: z.number().int(), records: z.number().int() }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'backup restore',
    positional: ['file'],
    print: ({ files, records }) => `restored ${files} files; the audit log holds ${records} records\n`,
  },
  failures: defaultFailures,
  run: ({ file }, deps: AdministrationDeps) => deps.backups.restore(file),
});

export const backupOperations = [createBackup, restoreBackup];
