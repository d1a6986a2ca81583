import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { late, loadLateLibraries } from '../../libraries/late-library.ts';
import { UP_LIMITS } from '../limits.ts';
import type { ServedRoom } from '../up-settings.ts';
import type { HttpApi, HttpApiOptions } from './http-api.ts';

const BETWEEN_LIBRARIES_MS = 20;

/** Parts of Node that load lazily. Loading all at once would block calls for 40 ms. */
const partsOfNode = late(function* () {
  yield process.getBuiltinModule('node:http2');
  yield ReadableStream;
  yield Response;
});

/** The HTTP API of everything that is served. It loads later, because the first list of tools does not need it. */
export class LateApi {
  readonly #options: HttpApiOptions;
  #loading: Promise<HttpApi> | undefined;
  #listener: RequestListener | undefined;
  #closed = false;

  constructor(options: HttpApiOptions) {
    this.#options = options;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.#listener) this.#listener(request, response);
    else void this.#load().then(({ listener }) => listener(request, response), this.#refuse(response));
  }

  /** The gateway as one of the served rooms. */
  async room(): Promise<ServedRoom> {
    return { ...this.#options.gateway, bound: (await this.#load()).gateway.bound };
  }

  /** Loads the API and all deferred libraries after the first clients have been served. */
  loadSoon(): void {
    void this.#loadRest().catch((error: unknown) =>
      this.#options.settings.log.error('a module could not be loaded', { error }),
    );
  }

  close(): void {
    this.#closed = true;
    // A failed load was reported to the request that needed it.
    this.#loading?.then(({ gateway }) => gateway.events.close()).catch(() => {});
  }

  async #loadRest(): Promise<void> {
    await wait(UP_LIMITS.loadApiAfterMs, undefined, { ref: false });
    // Clients are waiting for the first discovery of servers.
    await this.#options.gateway.runtime.gateway.ports.untilDiscovered();
    if (this.#closed) return;
    const pause = () => wait(BETWEEN_LIBRARIES_MS, undefined, { ref: false });
    while (!partsOfNode.step()) await pause();
    await this.#load();
    await loadLateLibraries(pause);
  }

  #refuse(response: ServerResponse): (error: unknown) => void {
    return (error) => {
      this.#options.settings.log.error('the HTTP API could not be loaded', { error });
      response.writeHead(500).end();
    };
  }

  #load(): Promise<HttpApi> {
    this.#loading ??= import('./http-api.ts').then(({ createHttpApi }) => {
      const api = createHttpApi(this.#options);
      this.#listener = api.listener;
      return api;
    });
    return this.#loading;
  }
}
