import type { Room } from '../../contract/operation.ts';
import { catalogOperations } from '../catalog/catalog-operations.ts';
import { backupOperations } from './backup-operations.ts';
import { connectOperations } from './connect-operations.ts';
import type { AdministrationDeps } from './deps.ts';
import { doctorOperations } from './doctor-operation.ts';
import { importOperations } from './import-operations.ts';
import { initOperations } from './init-operation.ts';
import { type KeyDeps, keyOperations } from './key-operations.ts';

/** The part that a running gateway serves, to its owner only. */
export const keyRoom: Room<KeyDeps> = { name: 'administration', summary: 'API keys', operations: keyOperations };

/** Operations of the gateway's owner at its machine: commands, no tools. */
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
