import { isDeepStrictEqual } from 'node:util';
import { toBinderyError } from '../../contract/errors.ts';
import { watchFiles } from '../../host/config/watch-files.ts';
import { type BindConfig, readBindConfig } from './bind-config.ts';

/** The section `bind` of a running gateway: changed resolvers apply at once, every other key after a restart. */
export class FollowedBindConfig {
  readonly #file: string;
  readonly #started: BindConfig;
  #now: BindConfig;
  #problem: string | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#started = readBindConfig(file);
    this.#now = this.#started;
  }

  /** The configuration with which the gateway started. */
  get started(): BindConfig {
    return this.#started;
  }

  get resolvers(): BindConfig['resolvers'] {
    return this.#now.resolvers;
  }

  /** Warnings about changes that are not in use yet. */
  warnings(): string[] {
    const waiting = (Object.keys(this.#started) as (keyof BindConfig)[]).filter(
      (key) => key !== 'resolvers' && !isDeepStrictEqual(this.#started[key], this.#now[key]),
    );
    return [
      ...(this.#problem === undefined ? [] : [`bind: the last good configuration stays in use: ${this.#problem}`]),
      ...waiting.map((key) => `bind: bind.${key} changed in config.json; restart the gateway to use it`),
    ];
  }

  /** Reloads the file whenever it changes. Returns a function that stops. */
  follow(onChange: () => void): () => void {
    return watchFiles([this.#file], () => {
      this.#read();
      onChange();
    });
  }

  #read(): void {
    try {
      this.#now = readBindConfig(this.#file);
      this.#problem = undefined;
    } catch (thrown) {
      this.#problem = toBinderyError(thrown).message;
    }
  }
}
