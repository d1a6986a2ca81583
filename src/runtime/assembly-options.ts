import { BinderyError } from '../contract/errors.ts';
import type { BoundRoom } from '../contract/operation.ts';
import type { Clock, Log, Random } from '../contract/ports.ts';
import type { Exposure } from '../gateway/search/listing-cost.ts';
import type { NameResolver } from '../host/connection/supervision/named-endpoint.ts';
import type { EndedCall } from './audit/call-recorder.ts';
import type { SeveralNodes } from './nodes/several-nodes.ts';
import type { SharedState } from './nodes/shared-state.ts';
import type { UpSettings } from './up-settings.ts';
import { VERSION } from './version.ts';

/** The start options of a gateway. */
export interface AssemblyOptions {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly projectDir: string;
  /** One file that replaces the global and the project's policy. */
  readonly policyFile: string | undefined;
  readonly trustProject: boolean;
  /** Which tools clients see; overrides the configuration. */
  readonly exposure: Exposure | undefined;
  readonly node: string;
  /** Absent if this node is the only one. */
  readonly nodes?: SeveralNodes | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly names: NameResolver;
  /** Interval and timeout of health checks; the host's own by default. */
  readonly probe?: { readonly intervalMs: number; readonly timeoutMs: number };
  /**
   * This process is one of several workers beside a primary: it serves calls that any process can serve alike, reads the registry, and
   * writes only its own audit chain and the head of that chain.
   */
  readonly follower?: {
    readonly workers: number;
    /** Policy files that the primary has in force: if one of them is missing, it has vanished. */
    readonly policyFiles: readonly string[];
    onEnded(call: EndedCall): void;
  };
  /** The state shared with other nodes; absent if this node is the only one. */
  readonly shared?: SharedState | undefined;
  /** False if another running gateway uses the same registry and lists its servers there. */
  readonly ownsRegistry?: boolean;
  /** The address that people and clients reach, if the gateway has one. */
  readonly baseUrl?: (() => string) | undefined;
  /** Rooms that the gateway serves as built-in servers. */
  readonly builtins: readonly BoundRoom[];
}

/** The start options from the settings of a serving command. */
export function startedWith({ flags, cwd: projectDir, databaseUrl: _holdsPassword, ...settings }: UpSettings) {
  return {
    ...settings,
    projectDir,
    trustProject: flags.trustProject === true,
    exposure: exposureOf(flags.exposure),
    env: process.env,
    version: VERSION,
  };
}

/** The value of the flag; throws for any other value. */
export function exposureOf(flag: unknown): Exposure | undefined {
  if (flag === undefined || flag === 'auto' || flag === 'search' || flag === 'all') return flag;
  throw new BinderyError('USAGE', { detail: '--exposure is auto, search or all' });
}
