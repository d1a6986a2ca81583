import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeyLine } from '../../src/store/credentials/key-ring.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery, untilKnownTo } from './running-bindery.ts';

/** Nodes of one database, each with a home of its own and the same key file. */
export interface NodeTeam {
  /** Starts a node; one that ran before goes on in its home. */
  start(name: string, ...flags: string[]): Promise<RunningBindery>;
  home(name: string): BinderyHome | undefined;
  close(): Promise<void>;
}

export interface NodeTeamOptions {
  /** The address of the database, for each node. */
  readonly database: string | ((node: string) => string);
  readonly config: object;
  /** Servers that a node knows before it is handed out. */
  readonly servers: readonly string[];
  /** A credential, where one is needed to look. */
  readonly authorization?: string;
}

export function openNodeTeam({ database, config, servers, authorization }: NodeTeamOptions): NodeTeam {
  const homes = new Map<string, BinderyHome>();
  const running = new Set<RunningBindery>();
  const keyLine = `${newKeyLine()}\n`;
  return {
    home: (name) => homes.get(name),
    start: async (name, ...flags) => {
      const home = homes.get(name) ?? (await createHome(config));
      homes.set(name, home);
      const keyFile = join(home.dataDir, 'credentials.key');
      if (!existsSync(keyFile)) writeFileSync(keyFile, keyLine, { mode: 0o600 });
      const url = typeof database === 'string' ? database : database(name);
      const node = await startBindery(home, '--db', url, '--node', name, ...flags);
      running.add(node);
      await untilKnownTo(authorization, node, ...servers);
      return node;
    },
    close: async () => {
      await Promise.all([...running].map((node) => (node.process.exitCode === null ? node.stop() : undefined)));
      await Promise.all([...homes.values()].map((home) => home.remove()));
    },
  };
}
