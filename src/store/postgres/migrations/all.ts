import type { Migrations } from '../../migrate.ts';
import { nodesMigrations } from './nodes.ts';
import { sharedMigrations } from './shared.ts';

/** Every part of the shared database. */
export const migrations: readonly Migrations[] = [nodesMigrations, sharedMigrations];
