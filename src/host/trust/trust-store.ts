import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import { readText, updateFile } from '../config/update-file.ts';
import { launchDigest } from './launch-digest.ts';

const Trusted = z.object({ sha256: z.string(), trusted_at: z.string() });
const TrustFile = z.looseObject({
  version: z.literal(1),
  projects: z.record(z.string(), z.record(z.string(), Trusted)),
});
type TrustFile = z.output<typeof TrustFile>;

export interface TrustEntry {
  readonly id: string;
  readonly sha256: string;
  readonly trusted_at: string;
}

/** Which definitions of a project's servers a person has allowed to start: `trust.json` in the config directory. */
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
    const project = projectOf(parseTrust(await readText(this.#file)), this.#projectDir);
    return Object.entries(project)
      .map(([id, trusted]) => ({ id, ...trusted }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async trust(servers: readonly ConfiguredServer[]): Promise<void> {
    await this.#update((project) => {
      for (const { id, raw } of servers) {
        const trusted = { sha256: launchDigest(raw), trusted_at: new Date(this.#clock.now()).toISOString() };
        Object.defineProperty(project, id, { value: trusted, enumerable: true, configurable: true, writable: true });
      }
    });
  }

  /** False if it was not trusted. */
  async revoke(id: string): Promise<boolean> {
    let found = false;
    await this.#update((project) => {
      found = Object.hasOwn(project, id);
      delete project[id];
    });
    return found;
  }

  async #update(change: (project: Record<string, unknown>) => void): Promise<void> {
    await updateFile(
      this.#file,
      (text) => {
        const file = parseTrust(text);
        const project = { ...projectOf(file, this.#projectDir) };
        change(project);
        const { [this.#projectDir]: _, ...others } = file.projects;
        const projects = Object.keys(project).length === 0 ? others : { ...others, [this.#projectDir]: project };
        return `${JSON.stringify({ ...file, projects }, null, 2)}\n`;
      },
      { mode: 0o600 },
    );
  }
}

/** Whether a server may start: its global entry always, a project's entry once its present definition was trusted. */
export function isTrusted(server: ConfiguredServer, trusted: readonly TrustEntry[]): boolean {
  if (server.source === 'global') return true;
  const digest = launchDigest(server.raw);
  return trusted.some(({ id, sha256 }) => id === server.id && sha256 === digest);
}

function projectOf(file: TrustFile, projectDir: string): TrustFile['projects'][string] {
  return Object.hasOwn(file.projects, projectDir) ? (file.projects[projectDir] ?? {}) : {};
}

/** A file that cannot be read trusts nothing, and is not overwritten. */
function parseTrust(text: string | undefined): TrustFile {
  if (text === undefined) return { version: 1, projects: {} };
  try {
    const file: unknown = JSON.parse(text);
    TrustFile.parse(file);
    // The parsed file itself: the schema's copy would lose an id such as `__proto__`.
    return file as TrustFile;
  } catch (cause) {
    throw new BinderyError('CONFIG_INVALID', {
      detail: 'trust.json is damaged or has another version',
      next: 'Restore trust.json from a backup, or delete it and trust the servers again.',
      cause,
    });
  }
}
