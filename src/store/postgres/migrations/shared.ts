import type { Migrations } from '../../migrate.ts';

/** What nodes know together. */
export const sharedMigrations: Migrations = { part: 'shared', steps: [] };
