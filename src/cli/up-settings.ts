import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Log } from '../contract/ports.ts';
import { directories } from './directories.ts';
import { pooledRandom } from './pooled-random.ts';
import type { UpSettings } from './wiring.ts';

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
  readonly exposure?: 'auto' | 'search' | 'all';
}

/** Options of every command that serves: what is served, and under which rules. */
export function addServingOptions(command: Command): Command {
  return command
    .option('--cwd <dir>', 'folder of the project', '.')
    .option('--policy <file>', 'policy file in place of the global and the project’s')
    .option('--exposure <mode>', 'which tools clients see: auto, search or all')
    .option('--trust-project', 'trust what the project’s config defines, for this run')
    .option('--node <name>', 'name of this node in the audit log', 'local')
    .option('--caches <dir>', 'folder of context caches')
    .option('--zones <dir>', 'folder of zone files')
    .option('--corpus <dir>', 'folder of a civic corpus')
    .option('--providers <file>', 'file of the provider directory')
    .option('--trusted-proxy <cidr>', 'proxy whose X-Forwarded-For counts (repeatable)', collect)
    .option('--allow-private-endpoints', 'let names resolve to private addresses');
}

/** What the flags and the environment say, for every room to take its part of. */
export function upSettings(flags: Partial<UpFlags>, log: Log, baseUrl: () => string): UpSettings {
  const { configDir, configFile, dataDir } = directories(process.env);
  return {
    flags: flags as Record<string, unknown>,
    cwd: resolve(flags.cwd ?? '.'),
    configDir,
    configFile,
    dataDir,
    log,
    clock: { now: Date.now },
    random: pooledRandom(),
    baseUrl,
  };
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}
