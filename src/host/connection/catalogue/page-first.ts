import type { CancelSignal } from '../../../contract/cancellation.ts';
import { isObject, type JsonObject, type NotificationMessage } from '../../../contract/json.ts';
import { RPC } from '../../../wire/revisions.ts';
import { type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

export interface PageFirst {
  readonly upstream: Pick<Upstream, 'on' | 'off'>;
  readonly signal: CancelSignal | undefined;
  /** Shows the page to a person; rejects if there is no person to ask. */
  readonly ask: (question: { readonly method: string; readonly params: JsonObject }) => Promise<JsonObject>;
}

/**
 * A 2025 server may refuse a call until a person has visited a page (URL elicitation). Asks the person for each page, waits until the
 * server reports it as complete (or `pageWaitMs`), and then repeats the call once.
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

/** The pages that the server has reported as complete. */
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
