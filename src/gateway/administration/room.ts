import type { Room } from '../../contract/operation.ts';
import { backupOperations } from './backup-operations.ts';
import { connectOperations } from './connect-operations.ts';
import type { AdministrationDeps } from './deps.ts';
import { doctorOperations } from './doctor-operation.ts';
import { importOperations } from './import-operations.ts';
import { keyOperations } from './key-operations.ts';

/** What the person who keeps a gateway does at its machine: commands alone, no route and no tool. */
export const administrationRoom: Room<AdministrationDeps> = {
  name: 'administration',
  summary: 'moving in and out, API keys, backups',
  operations: [...importOperations, ...connectOperations, ...doctorOperations, ...keyOperations, ...backupOperations],
};
