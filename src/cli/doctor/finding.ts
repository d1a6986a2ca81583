import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { Machine } from '../../gateway/import/client-places.ts';
import type { Announcement } from '../running-gateway.ts';

/** Where a set-up is. */
export interface SetUp {
  readonly machine: Machine;
  readonly cwd: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly running: Announcement | undefined;
}

export function ok(check: string, message: string): Diagnosis {
  return { check, level: 'ok', message, fix: null };
}

export function trouble(level: 'warning' | 'error', check: string, message: string, fix: string): Diagnosis {
  return { check, level, message, fix };
}
