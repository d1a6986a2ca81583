import type { CancelSignal } from '../../../contract/cancellation.ts';
import { isObject, type JsonObject, type NotificationMessage } from '../../../contract/json.ts';
import { RPC } from '../../../wire/revisions.ts';
import { type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

export interface PageFirst {
  readonly upstream: Pick<Upstream, 'on' | 'off'>;
  readonly signal: CancelSignal | undefined;
  /** Shows a person the page; rejects if nobody can be asked. */
  readonly ask: (question: { readonly method: string; readonly params: JsonObject }) => Promise<JsonObject>;
}

/**
 * A 2025 server may refuse a call until a person has been to a page. The person is asked for each page, and the call is made
 * once more when the server says that they are done, or after a while in which it says nothing.
 */
export async function afterPages(
  call: () => Promise<JsonObject>,
  { upstream, signal, ask }: PageFirst,
): Promise<JsonObject> {
  try {
    return await call();
  } catch (thrown) {
    const pages = pagesOf(thrown);
    if (pages.length === 0) throw thrown;
    const done = new DonePages(upstream);
    try {
      for (const params of pages) {
        const { action } = await ask({ method: 'elicitation/create', params });
        if (action !== 'accept') throw thrown;
        await done.wait(params.elicitationId, signal);
      }
    } finally {
      done.end();
    }
    return call();
  }
}

function pagesOf(thrown: unknown): JsonObject[] {
  if (!(thrown instanceof UpstreamError) || thrown.rpc?.code !== RPC.urlElicitationRequired) return [];
  const { data } = thrown.rpc;
  const listed = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  return listed
    .filter(isObject)
    .filter(({ mode }) => mode === 'url')
    .slice(0, LIMITS.inputRoundsMax);
}

/** Pages of which the server has said that they are done. */
class DonePages {
  readonly #upstream: PageFirst['upstream'];
  readonly #done = new Set<unknown>();
  #onDone = () => {};

  constructor(upstream: PageFirst['upstream']) {
    this.#upstream = upstream;
    upstream.on('notification', this.#listener);
  }

  wait(id: unknown, signal: CancelSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(resolve), LIMITS.pageWaitMs);
      const stop = () => finish(() => reject(signal?.reason));
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.#onDone = () => {};
        settle();
      };
      this.#onDone = () => {
        if (this.#done.has(id)) finish(resolve);
      };
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      else this.#onDone();
    });
  }

  end(): void {
    this.#upstream.off('notification', this.#listener);
  }

  readonly #listener = ({ method, params }: NotificationMessage): void => {
    if (method !== 'notifications/elicitation/complete') return;
    this.#done.add(params?.elicitationId);
    this.#onDone();
  };
}
