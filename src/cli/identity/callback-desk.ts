import type { Hono } from 'hono';
import type { CallbackListener } from '../../host/oauth/callback-listener.ts';
import { CALLBACK_HEADERS, callbackPage } from '../../host/oauth/callback-page.ts';
import { OAuthError } from '../../host/oauth/oauth-error.ts';

interface Visitor {
  readonly parameters: URLSearchParams;
  answer(page: Response): void;
}

const PATH = '/mcp/oauth/callback';

/** Receives the redirects of sign-ins at the gateway's own address. Each state is good for one visit. */
export class CallbackDesk {
  readonly #waiting = new Map<string, (visitor: Visitor) => void>();
  #redirectUri: (() => string) | undefined;

  /** Serves the route; from now on sign-ins can be answered here. */
  serve(app: Hono, redirectUri: () => string): void {
    this.#redirectUri = redirectUri;
    app.get(PATH, (context) => this.receive(new URL(context.req.url).searchParams));
  }

  /** Who waits for one sign-in here; undefined where nothing is served and the loopback has to do. */
  listener(): CallbackListener | undefined {
    return this.#redirectUri && new DeskListener(this.#redirectUri(), this.#waiting);
  }

  receive(parameters: URLSearchParams): Promise<Response> | Response {
    const state = parameters.get('state') ?? '';
    const take = this.#waiting.get(state);
    // Anyone can open this address; only whoever knows a state that is waited for takes part, and once.
    this.#waiting.delete(state);
    if (!take) return page(400, 'Not this sign-in', 'This link was used before, or its time is over.');
    return new Promise((resolve) => take({ parameters, answer: resolve }));
  }
}

class DeskListener implements CallbackListener {
  readonly redirectUri: string;
  readonly #waiting: Map<string, (visitor: Visitor) => void>;
  #state: string | undefined;
  #visitor: Visitor | undefined;

  constructor(redirectUri: string, waiting: Map<string, (visitor: Visitor) => void>) {
    this.redirectUri = redirectUri;
    this.#waiting = waiting;
  }

  waitFor(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    this.#state = state;
    return new Promise((resolve, reject) => {
      const late = () => reject(new OAuthError('timed_out', 'nobody signed in in time'));
      if (signal.aborted) late();
      else signal.addEventListener('abort', late, { once: true });
      this.#waiting.set(state, (visitor) => {
        this.#visitor = visitor;
        resolve(visitor.parameters);
      });
    });
  }

  finish(error: OAuthError | undefined): void {
    this.#visitor?.answer(
      error === undefined
        ? page(200, 'Signed in', 'You can close this page and go back.')
        : page(400, 'Not signed in', `${error.message}. Go back and try again.`),
    );
    this.#visitor = undefined;
  }

  close(): void {
    if (this.#state !== undefined) this.#waiting.delete(this.#state);
    this.finish(new OAuthError('closed', 'The sign-in has ended'));
  }
}

function page(status: number, title: string, text: string): Response {
  return new Response(callbackPage(title, text), { status, headers: CALLBACK_HEADERS });
}
