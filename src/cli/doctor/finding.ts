import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { Machine } from '../../gateway/import/client-places.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { accessRemedy } from '../access-remedy.ts';
import type { Announcement } from '../running-gateway.ts';

/** Connects to a server as the gateway would, and disconnects. Rejects with the reason if that fails. */
export type ProbeServer = (server: ConfiguredServer, signal: AbortSignal) => Promise<unknown>;

/** The locations of a set-up. */
export interface SetUp {
  readonly machine: Machine;
  readonly cwd: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly running: Announcement | undefined;
  /** Absent: no server is started. */
  readonly probe?: ProbeServer;
}

export function ok(check: string, message: string): Diagnosis {
  return { check, level: 'ok', message, fix: null };
}

export function trouble(level: 'warning' | 'error', check: string, message: string, fix: string): Diagnosis {
  return { check, level, message, fix };
}

/** A path that this user may not use. */
export function noAccess(check: string, message: string, path: string): Diagnosis {
  return trouble('error', check, message, accessRemedy(path));
}

/** The remedy for a path where no file can be read. */
export function unreadable(file: string, error: string): string {
  return error.includes('EACCES') ? accessRemedy(file) : 'Put a file there, or nothing.';
}
