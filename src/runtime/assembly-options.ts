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

/** What a gateway is started with. */
export interface AssemblyOptions {
  readonly dataDir: string;
  /** The database of the registry. */
  readonly registryFile: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly projectDir: string;
  /** One file in place of the global and the project's policy. */
  readonly policyFile: string | undefined;
  readonly trustProject: boolean;
  /** Which tools clients see, in place of what the configuration says. */
  readonly exposure: Exposure | undefined;
  readonly node: string;
  /** Absent where this node is the only one. */
  readonly nodes?: SeveralNodes | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly names: NameResolver;
  /** How often servers are asked whether they are well; the host's own times unless said otherwise. */
  readonly probe?: { readonly intervalMs: number; readonly timeoutMs: number };
  /**
   * This process is one of so many workers beside a primary: it serves what any process can serve alike, reads the registry
   * and writes nothing but its own chain of the audit log, and where that ends.
   */
  readonly follower?: {
    readonly workers: number;
    /** Policy files that the primary has in force: one of them that is gone has vanished. */
    readonly policyFiles: readonly string[];
    onEnded(call: EndedCall): void;
  };
  /** What this node shares with others; absent where it is the only one. */
  readonly shared?: SharedState | undefined;
  /** False where another gateway that runs uses the same registry, and says there which servers there are. */
  readonly ownsRegistry?: boolean;
  /** The address that people and clients reach, where the gateway has one. */
  readonly baseUrl?: (() => string) | undefined;
  /** Rooms that are servers of the gateway. */
  readonly builtins: readonly BoundRoom[];
}

/** What of that a command that serves was told. */
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

/** The flag's value; anything else is a mistake of the command line. */
export function exposureOf(flag: unknown): Exposure | undefined {
  if (flag === undefined || flag === 'auto' || flag === 'search' || flag === 'all') return flag;
  throw new BinderyError('USAGE', { detail: '--exposure is auto, search or all' });
}
