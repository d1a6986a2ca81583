import type { Hono } from 'hono';
import type { BoundRoom } from '../contract/operation.ts';
import type { Clock, Log, Random } from '../contract/ports.ts';
import type { Diagnosis } from '../gateway/administration/diagnosis.ts';
import type { ListedSetting } from '../host/config/settings/setting.ts';

/** What `bindery up` takes from the command line. */
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

/** What `bindery doctor` and `bindery config explain` look at. */
export interface SetUp {
  diagnose(): Promise<readonly Diagnosis[]>;
  settings(): Promise<readonly ListedSetting[]>;
}

/** What `bindery up` was told, for every room to take its part of. */
export interface UpSettings {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** One file in place of the global and the project's policy. */
  readonly policyFile: string | undefined;
  /** Where Bindery keeps its own files. */
  readonly dataDir: string;
  /** The database of the registry. */
  readonly registryFile: string;
  /** The address of the database that nodes share, where they do. It holds a password: never log it. */
  readonly databaseUrl: string | undefined;
  /** The name of this node. */
  readonly node: string;
  /** Where other nodes reach this one. */
  readonly advertise: string | undefined;
  readonly configDir: string;
  readonly configFile: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  /** What the command line knows of the whole set-up; absent where it is not asked. */
  readonly setUp?: SetUp;
  /** The address that clients reach; known once the server listens. */
  baseUrl(): string;
}

/** A room at work in `bindery up`. */
export interface ServedRoom {
  readonly bound: BoundRoom;
  /** False: nothing is there that its tools could work on, so that no client is shown them. */
  readonly hasTools?: boolean;
  /** Routes that no operation describes (a second MCP endpoint, a stream). */
  extend?(app: Hono): void;
  /** Where such routes begin that pages of any origin may read. */
  readonly crossOriginPaths?: readonly string[];
  /** The address under which everyone reaches the room; absent: only programs of this machine do. */
  readonly publicUrl?: string | undefined;
  /** Lines for a person who just started it: what to try. */
  tryNext(): readonly string[];
  /** What does not stop the room, but an operator should know; `/readyz` shows it. */
  warnings?(): readonly string[];
  /** Lines of the Prometheus text format, for `/metrics`. */
  metrics?(): readonly string[];
  close(): Promise<void>;
}
