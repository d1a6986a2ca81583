import type { Hono } from 'hono';
import type { BoundRoom } from '../contract/operation.ts';
import type { Clock, Log, Random } from '../contract/ports.ts';
import type { Diagnosis } from '../gateway/administration/diagnosis.ts';
import type { ListedSetting } from '../host/config/settings/setting.ts';

export interface UpFlags {
  readonly port: string;
  readonly host: string;
  readonly cwd: string;
  readonly json?: boolean;
  readonly token?: string;
  readonly policy?: string;
  readonly trustProject?: boolean;
  readonly node?: string;
  readonly workers?: string;
  readonly db?: string;
  readonly advertise?: string;
  readonly beside?: boolean;
  readonly exposure?: 'auto' | 'search' | 'all';
}

/** The set-up that `bindery doctor` and `bindery config explain` inspect. */
export interface SetUp {
  diagnose(): Promise<readonly Diagnosis[]>;
  settings(): Promise<readonly ListedSetting[]>;
}

/** The settings of `bindery up`, for all rooms. */
export interface UpSettings {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** One file that replaces the global and the project's policy. */
  readonly policyFile: string | undefined;
  /** The folder of Bindery's own files. */
  readonly dataDir: string;
  readonly registryFile: string;
  /** The address of the shared database, if there are several nodes. It holds a password: never log it. */
  readonly databaseUrl: string | undefined;
  /** The name of this node. */
  readonly node: string;
  /** The address under which other nodes reach this one. */
  readonly advertise: string | undefined;
  readonly configDir: string;
  readonly configFile: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** The set-up for the owner's operations; absent if not needed. */
  readonly setUp?: SetUp;
  /** The address for clients; known when the server listens. */
  baseUrl(): string;
}

/** A room that `bindery up` serves. */
export interface ServedRoom {
  readonly bound: BoundRoom;
  /** False: there is nothing for its tools to work on, so clients do not see them. */
  readonly hasTools?: boolean;
  /** Routes that no operation describes, such as a second MCP endpoint or a stream. */
  extend?(app: Hono): void;
  /** Path prefixes of such routes that pages of any origin may read. */
  readonly crossOriginPaths?: readonly string[];
  /** The public address of the room; absent: only programs on this machine can reach it. */
  readonly publicUrl?: string | undefined;
  /** Hints for a person who just started it. */
  tryNext(): readonly string[];
  /** Warnings for an operator that do not stop the room; `/readyz` shows them. */
  warnings?(): readonly string[];
  /** Lines of the Prometheus text format, for `/metrics`. */
  metrics?(): readonly string[];
  close(): Promise<void>;
}
