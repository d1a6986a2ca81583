import { isName } from './identity.ts';
import { readZone } from './read-zone.ts';
import type { Zone, ZoneSource } from './zone.ts';

/** Zones in memory: every store fills it and every resolution reads it. */
export class ZoneTable implements ZoneSource {
  /** Set by the store while it cannot read the zones: this table has their state of that time. */
  staleSinceMs: number | undefined;
  readonly #zones = new Map<string, Zone>();
  /** Names of zones that cannot be read, or whose records cannot be ranked. */
  readonly #damaged = new Set<string>();
  #version = 0;
  #names: readonly string[] | undefined;

  get version(): number {
    return this.#version;
  }

  get(name: string): Zone | undefined {
    return this.#zones.get(name);
  }

  names(): readonly string[] {
    this.#names ??= [...this.#zones.keys()].sort();
    return this.#names;
  }

  /** Names of zones that do not resolve because they are damaged, in no order. */
  get damaged(): ReadonlySet<string> {
    return this.#damaged;
  }

  /** Reads the stored bytes of a zone; ignores a name that is not canonical. */
  set(name: string, bytes: Uint8Array): void {
    if (!isName(name)) return;
    const zone = readZone(name, bytes);
    const known = this.#zones.get(name);
    if (known && known.text === zone.text && known.state === zone.state) return;
    if (!known) this.#names = undefined;
    this.#zones.set(name, zone);
    if (zone.state === 'sound') this.#damaged.delete(name);
    else this.#damaged.add(name);
    this.#version += 1;
  }

  delete(name: string): void {
    if (!this.#zones.delete(name)) return;
    this.#damaged.delete(name);
    this.#names = undefined;
    this.#version += 1;
  }
}
