import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLBACK_HEADERS, callbackPage } from './callback-page.ts';
import { OAuthError } from './oauth-error.ts';

const CALLBACK_PATH = '/mcp/oauth/callback';
const CANCEL_PATH = '/mcp/oauth/cancel';

export interface CallbackListener {
  readonly redirectUri: string;
  /** Resolves to the parameters of the redirect with this state; other requests get an answer and are ignored. */
  waitFor(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  /** Shows the outcome in the browser. */
  finish(error: OAuthError | undefined): void;
  close(): void;
}

/** Listens on 127.0.0.1 only, at the given port or a free one. Undefined: the port is taken. */
export async function listenForCallback(port: number, path = CALLBACK_PATH): Promise<CallbackListener | undefined> {
  const listener = new LoopbackListener(path);
  return (await listener.listen(port)) ? listener : undefined;
}

class LoopbackListener implements CallbackListener {
  readonly #path: string;
  readonly #server: Server;
  #state: string | undefined;
  #browser: ServerResponse | undefined;
  #arrived: (parameters: URLSearchParams) => void = () => {};
  #cancelled: () => void = () => {};

  constructor(path: string) {
    this.#path = path;
    this.#server = createServer((request, response) => this.#onRequest(request, response));
  }

  get redirectUri(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#path}`;
  }

  listen(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#server.once('error', () => resolve(false));
      this.#server.listen(port, '127.0.0.1', () => resolve(true));
    });
  }

  waitFor(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    this.#state = state;
    return new Promise((resolve, reject) => {
      this.#arrived = resolve;
      this.#cancelled = () => reject(new OAuthError('cancelled', 'the sign-in was cancelled in the browser'));
      const late = () => reject(new OAuthError('timed_out', 'nobody signed in in time'));
      if (signal.aborted) late();
      else signal.addEventListener('abort', late, { once: true });
    });
  }

  finish(error: OAuthError | undefined): void {
    if (this.#browser === undefined) return;
    const page =
      error === undefined
        ? callbackPage('Signed in', 'You can close this page and go back.')
        : callbackPage('Not signed in', `${error.message}. Go back and try again.`);
    answer(this.#browser, error === undefined ? 200 : 400, page);
    this.#browser = undefined;
  }

  close(): void {
    this.finish(new OAuthError('closed', 'The sign-in has ended'));
    this.#server.close();
    // The last page still has to reach the browser.
    this.#server.closeIdleConnections();
  }

  #onRequest({ method, url: target }: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(target as string, 'http://127.0.0.1');
    const known = url?.pathname === this.#path || url?.pathname === CANCEL_PATH;
    if (method !== 'GET' || url === null || !known) {
      answer(response, 404, callbackPage('Nothing here', 'This address only receives a sign-in.'));
      return;
    }
    // Any program can request this URL; only the browser that we opened knows the state.
    if (url.searchParams.get('state') !== this.#state) {
      answer(
        response,
        400,
        callbackPage('Not this sign-in', 'This link belongs to another sign-in. The current one goes on.'),
      );
      return;
    }
    if (url.pathname === CANCEL_PATH) {
      answer(response, 200, callbackPage('Cancelled', 'The sign-in was cancelled.'));
      this.#cancelled();
      return;
    }
    this.#browser?.end();
    this.#browser = response;
    this.#arrived(url.searchParams);
  }
}

function answer(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { ...CALLBACK_HEADERS, connection: 'close' });
  response.end(page);
}
