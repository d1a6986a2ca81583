import type { Room } from '../../contract/operation.ts';
import { catalogOperations } from '../catalog/catalog-operations.ts';
import { backupOperations } from './backup-operations.ts';
import { connectOperations } from './connect-operations.ts';
import type { AdministrationDeps } from './deps.ts';
import { doctorOperations } from './doctor-operation.ts';
import { importOperations } from './import-operations.ts';
import { initOperations } from './init-operation.ts';
import { type KeyDeps, keyOperations } from './key-operations.ts';

/** The part of it that a gateway serves while it runs, to its owner alone. */
export const keyRoom: Room<KeyDeps> = { name: 'administration', summary: 'API keys', operations: keyOperations };

/** What the person who keeps a gateway does at its machine: commands, and no tool. */
export const administrationRoom: Room<AdministrationDeps> = {
  name: 'administration',
  summary: 'moving in and out, API keys, backups',
  operations: [
    ...initOperations,
    ...catalogOperations,
    ...importOperations,
    ...connectOperations,
    ...doctorOperations,
    ...keyOperations,
    ...backupOperations,
  ],
};
