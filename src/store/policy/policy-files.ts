import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { LayerName, PolicyLayer } from '../../gateway/policy/decide.ts';
import { parsePolicy, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { Finding } from '../../gateway/policy/policy-document.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { type ReadPolicy, readPolicy } from './read-policy.ts';

const migrations: Migrations = {
  part: 'policy',
  steps: [
    'CREATE TABLE policy_versions (file TEXT PRIMARY KEY, text TEXT NOT NULL, sha256 TEXT NOT NULL, loaded_at TEXT NOT NULL)',
  ],
};

/** A layer as people see it. */
export interface LayerStatus {
  readonly layer: LayerName;
  readonly file: string;
  readonly status: 'ok' | 'bad' | 'vanished';
  readonly sha256: string | null;
  readonly loaded_at: string | null;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

interface Loaded {
  readonly policyLayer: PolicyLayer;
  readonly status: LayerStatus;
}

/**
 * The policy files of a gateway. A bad file never opens the gate: the last good version stays, across restarts too, and a
 * file that vanishes while it is in use counts as bad.
 */
export class PolicyFiles {
  readonly #files: readonly { readonly layer: LayerName; readonly file: string }[];
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #reading: FailureReport;
  readonly #keeping: FailureReport;
  #loaded: readonly Loaded[] = [];
  #layers: readonly PolicyLayer[] = [];

  constructor(
    files: readonly { readonly layer: LayerName; readonly file: string }[],
    database: DatabaseSync,
    clock: Clock,
    log: Log,
  ) {
    this.#files = files;
    this.#database = database;
    this.#clock = clock;
    this.#reading = new FailureReport(log, {
      failing: 'the policy cannot be read anew, and stays as it is',
      again: 'the policy is read again',
    });
    this.#keeping = new FailureReport(log, {
      failing: 'the policy is in use, but cannot be kept for the case that its file turns bad',
      again: 'the policy is kept again',
    });
    migrate(database, migrations);
    this.accept();
  }

  /** Where the files are looked for, by layer. */
  get paths(): readonly { readonly layer: LayerName; readonly file: string }[] {
    return this.#files;
  }

  get files(): readonly string[] {
    return this.#files.map(({ file }) => file);
  }

  layers(): readonly PolicyLayer[] {
    return this.#layers;
  }

  status(): readonly LayerStatus[] {
    return this.#loaded.map(({ status }) => status);
  }

  /** Reads the files again; one that was in use and is gone counts as bad. */
  reload(): void {
    const before = new Set(this.#loaded.map(({ status }) => status.file));
    this.#reading.attempt(() => this.#load((file) => before.has(file)));
  }

  /** Reads the files anew and accepts that one is gone: at start, or because a person said so. */
  accept(): void {
    this.#load(() => false);
  }

  #load(mustExist: (file: string) => boolean): void {
    this.#loaded = this.#files.flatMap(({ layer, file }) => {
      const read = readPolicy(file);
      if (read === undefined && !mustExist(file)) return [];
      return [this.#judge(layer, file, read)];
    });
    this.#layers = this.#loaded.map(({ policyLayer }) => policyLayer);
  }

  #judge(layer: LayerName, file: string, read: ReadPolicy | undefined): Loaded {
    const policy = read?.policy ?? unreadablePolicy('the file is gone');
    const errors = policy.findings.filter(({ level }) => level === 'error');
    const warnings = policy.findings.filter(({ level }) => level === 'warning');
    if (read && read.text !== null && policy.document) {
      const { text } = read;
      const version = {
        sha256: createHash('sha256').update(text).digest('hex'),
        loaded_at: new Date(this.#clock.now()).toISOString(),
      };
      this.#keeping.attempt(() =>
        this.#database
          .prepare('INSERT OR REPLACE INTO policy_versions(file, text, sha256, loaded_at) VALUES (?, ?, ?, ?)')
          .run(file, text, version.sha256, version.loaded_at),
      );
      return {
        policyLayer: { layer, file, policy },
        status: { layer, file, status: 'ok', ...version, errors, warnings },
      };
    }
    const good = this.#database
      .prepare('SELECT text, sha256, loaded_at FROM policy_versions WHERE file = ?')
      .get(file) as { text: string; sha256: string; loaded_at: string } | undefined;
    const status = read === undefined ? 'vanished' : 'bad';
    return {
      policyLayer: { layer, file, policy: good ? parsePolicy(good.text) : policy },
      status: {
        layer,
        file,
        status,
        sha256: good?.sha256 ?? null,
        loaded_at: good?.loaded_at ?? null,
        errors,
        warnings,
      },
    };
  }
}
