import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import { ensureWritable, readText, updateFile } from '../config/update-file.ts';
import { entryDigest } from './entry-digest.ts';

/** What a digest covers. Records without it were written by an older version, whose digest left out some keys. */
const COVERS = 'entry';

const Trusted = z.object({ sha256: z.string(), covers: z.string().optional(), trusted_at: z.string() });
const TrustFile = z.looseObject({
  version: z.literal(1),
  projects: z.record(z.string(), z.record(z.string(), Trusted)),
});
type TrustFile = z.output<typeof TrustFile>;
type Trusted = z.output<typeof Trusted>;
type TrustedServers = Record<string, Trusted>;

export interface TrustEntry {
  readonly id: string;
  readonly sha256: string;
  readonly covers?: string | undefined;
  readonly trusted_at: string;
}

/** The definitions of project servers that a person has allowed to start: `trust.json` in the config directory. */
export class TrustStore {
  readonly #file: string;
  readonly #projectDir: string;
  readonly #clock: Clock;

  /** `projectDir` is absolute. */
  constructor(file: string, projectDir: string, clock: Clock) {
    this.#file = file;
    this.#projectDir = projectDir;
    this.#clock = clock;
  }

  /** Sorted by id. */
  async list(): Promise<TrustEntry[]> {
    const project = projectOf(parseTrust(this.#file, await readText(this.#file)), this.#projectDir);
    return Object.keys(project)
      .sort()
      .map((id) => ({ id, ...(project[id] as Trusted) }));
  }

  async trust(servers: readonly ConfiguredServer[]): Promise<void> {
    const trusted_at = new Date(this.#clock.now()).toISOString();
    const trusted = servers.map(({ id, raw }) => [id, { sha256: entryDigest(id, raw), covers: COVERS, trusted_at }]);
    await this.#update((project) => ({ ...project, ...Object.fromEntries(trusted) }));
  }

  /** Throws if nothing can be written now, so that a caller can check before changing something else. */
  async ensureWritable(): Promise<void> {
    await ensureWritable(this.#file, 0o600);
  }

  /** False if it was not trusted. */
  async revoke(id: string): Promise<boolean> {
    let found = false;
    await this.#update(({ ...project }) => {
      found = Object.hasOwn(project, id);
      delete project[id];
      return project;
    });
    return found;
  }

  async #update(change: (project: TrustedServers) => TrustedServers): Promise<void> {
    await updateFile(
      this.#file,
      (text) => {
        const file = parseTrust(this.#file, text);
        const project = change(projectOf(file, this.#projectDir));
        const { [this.#projectDir]: _, ...others } = file.projects;
        const projects = Object.keys(project).length === 0 ? others : { ...others, [this.#projectDir]: project };
        return `${JSON.stringify({ ...file, projects }, null, 2)}\n`;
      },
      { mode: 0o600 },
    );
  }
}

/** Whether a server may start: always if it is global; a project's server only if its current definition is trusted. */
export function isTrusted(server: ConfiguredServer, trusted: readonly TrustEntry[]): boolean {
  return server.source === 'global' || trustOf(server, trusted) === 'trusted';
}

/** `changed`: another definition of this id was trusted. `outdated`: trusted by a version that did not check every key. */
export const TRUST_STATES = ['trusted', 'changed', 'outdated', 'untrusted'] as const;
export type TrustState = (typeof TRUST_STATES)[number];

/** Whether a person has trusted the current definition of a project's server. */
export function trustOf({ id, raw }: Pick<ConfiguredServer, 'id' | 'raw'>, trusted: readonly TrustEntry[]): TrustState {
  const known = trusted.find((one) => one.id === id);
  if (known === undefined) return 'untrusted';
  if (known.covers !== COVERS) return 'outdated';
  return known.sha256 === entryDigest(id, raw) ? 'trusted' : 'changed';
}

/** Why a project's server does not start, and the remedy; undefined if it may start. */
export function untrustedReason(server: ConfiguredServer, trusted: readonly TrustEntry[]): string | undefined {
  const state = server.source === 'global' ? 'trusted' : trustOf(server, trusted);
  return state === 'trusted' ? undefined : `untrusted: ${WHY[state]}; ${NEXT}`;
}

const NEXT = 'look at it with `bindery mcp trust --list`, then run `bindery mcp trust` for it';
const WHY: Readonly<Record<Exclude<TrustState, 'trusted'>, string>> = {
  untrusted: 'the project defines this server',
  changed: 'the project changed its definition since it was trusted',
  outdated: 'an older version of Bindery trusted it without looking at every key of its entry',
};

function projectOf(file: TrustFile, projectDir: string): TrustedServers {
  return Object.hasOwn(file.projects, projectDir) ? (file.projects[projectDir] ?? {}) : {};
}

/** An unreadable file trusts nothing, and is not overwritten. */
function parseTrust(path: string, text: string | undefined): TrustFile {
  if (text === undefined) return { version: 1, projects: {} };
  try {
    const file: unknown = JSON.parse(text);
    TrustFile.parse(file);
    // Return the parsed file, because the schema's copy would lose an id such as `__proto__`.
    return file as TrustFile;
  } catch (cause) {
    throw new BinderyError('CONFIG_INVALID', {
      detail: `${path} is damaged or has another version`,
      next: 'Restore trust.json from a backup, or delete it and trust the servers again.',
      cause,
    });
  }
}
