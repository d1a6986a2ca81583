import type { BinderyHome, RunningBindery } from '../test/support/running-bindery.ts';

/** One attack on the built package. It passes when the attack fails. */
export interface AttackCase {
  /** Its id in docs/security-model.md, such as `envelope-case-2025`. */
  readonly id: string;
  /** What must hold, as a sentence. */
  readonly title: string;
  /** Throws (node:assert) if the attack succeeded. */
  run(target: AttackTarget): Promise<void>;
}

export interface CommandOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of an attack: an empty home, and the installed package. Everything that it starts is stopped afterwards. */
export interface AttackTarget {
  /** `home.dir` is HOME, `home.cwd` is the folder of a project, `home.dataDir` the data directory. */
  readonly home: BinderyHome;
  /** Writes a file below the home; returns its path. */
  write(path: string, text: string | Uint8Array): Promise<string>;
  /** Runs a command of the installed package to its end, in `home.cwd` by default. */
  command(argv: readonly string[], options?: CommandOptions): Promise<CommandOutcome>;
  /** Starts `bindery up` of the installed package on a free port. The runner watches it while the attack runs. */
  up(...flags: string[]): Promise<RunningBindery>;
  /** The entry of a stdio server that records every line it gets. */
  recordingServer(options?: RecordingOptions): RecordingServer;
  /** Registers a cleanup that runs after the attack, whatever its outcome. */
  onEnd(end: () => unknown): void;
  /** The folder of the installed package, for attacks on the library. */
  readonly packageDir: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RecordingOptions {
  /** JSON of `tools/list`; `echo` and `write` by default. */
  readonly tools?: readonly object[];
  /** Answers to `tools/call` by tool name, as results; by default the arguments come back as text. */
  readonly results?: Readonly<Record<string, object>>;
}

export interface RecordingServer {
  /** For `mcp.servers` of a config. */
  readonly entry: { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] };
  /** Every line that reached the server, as it was sent. */
  received(): Promise<readonly string[]>;
  /** The lines of `tools/call`. */
  calls(): Promise<readonly string[]>;
}
