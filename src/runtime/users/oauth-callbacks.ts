import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { CLIENT_INFO } from '../../host/client-info.ts';
import type { CallbackListener } from '../../host/oauth/callback-listener.ts';
import { CALLBACK_HEADERS, callbackPage } from '../../host/oauth/callback-page.ts';
import { clientMetadataDocument } from '../../host/oauth/client-metadata.ts';
import { OAuthError } from '../../host/oauth/oauth-error.ts';

/** The data of the page that a person sees before a sign-in for one user. */
export interface Invitation {
  readonly server: string;
  readonly owner: string;
  readonly authorizationUrl: string;
}

interface SignIns {
  readonly invitations: Map<string, Invitation>;
  readonly waiting: Map<string, SignInCallback>;
}

const COOKIE = 'bindery_sign_in';
const CALLBACK = '/oauth/callback';
const SIGN_IN = '/oauth/sign-in';
const CLIENT_METADATA = '/oauth/client-metadata';

/** Receives the redirects of sign-ins at the gateway's own address. Each state is valid for one visit. */
export class OAuthCallbacks {
  readonly #signIns: SignIns = { invitations: new Map(), waiting: new Map() };
  #mcpUrl: (() => string) | undefined;

  /** Enables sign-ins here. `mcpUrl` is the address of `/mcp` for browsers. */
  open(mcpUrl: () => string): void {
    this.#mcpUrl = mcpUrl;
  }

  /** Serves the routes. */
  serve(app: Hono, nameOf: (owner: string) => string): void {
    app.get(`/mcp${CALLBACK}`, (context) =>
      this.#receive(new URL(context.req.url).searchParams, context.req.header('cookie')),
    );
    app.get(`/mcp${CLIENT_METADATA}`, () => this.#metadata());
    app.get(`/mcp${SIGN_IN}`, (context) => this.#welcome(context.req.query('ticket') ?? '', nameOf));
  }

  /** The address of our client metadata for authorization servers; undefined over plain HTTP, or if nothing is served. */
  get clientMetadataUrl(): string | undefined {
    const url = this.#mcpUrl && `${this.#mcpUrl()}${CLIENT_METADATA}`;
    return url?.startsWith('https:') ? url : undefined;
  }

  #metadata(): Response {
    const url = this.clientMetadataUrl;
    if (url === undefined || !this.#mcpUrl)
      return page(404, 'Nothing here', 'This gateway has no public https address.');
    const document = clientMetadataDocument(url, CLIENT_INFO.title ?? CLIENT_INFO.name, [
      `${this.#mcpUrl()}${CALLBACK}`,
    ]);
    return Response.json(document, {
      headers: { 'cache-control': 'max-age=300', 'x-content-type-options': 'nosniff' },
    });
  }

  /** The listener for one sign-in; undefined if nothing is served: then a loopback listener is used. */
  listener(): SignInCallback | undefined {
    return this.#mcpUrl && new SignInCallback(this.#mcpUrl(), this.#signIns);
  }

  /** Shows for whom the sign-in is, so that a person who was sent another user's link notices it before granting access. */
  #welcome(ticket: string, nameOf: (owner: string) => string): Response {
    const invitation = this.#signIns.invitations.get(ticket);
    if (!invitation) return page(404, 'Nothing here', 'This link was used before, or its time is over.');
    const { server, owner, authorizationUrl } = invitation;
    const text = `Bindery will then use ${server} for ${nameOf(owner)}, and for nobody else. Go on only if this is you and you asked for it.`;
    const response = page(200, `Sign in to ${server}`, text, { href: authorizationUrl, label: 'Continue' });
    const secure = this.#mcpUrl?.().startsWith('https:') ? '; Secure' : '';
    response.headers.set('set-cookie', `${COOKIE}=${ticket}; Path=/; HttpOnly; SameSite=Lax${secure}`);
    return response;
  }

  #receive(parameters: URLSearchParams, cookies = ''): Promise<Response> | Response {
    const state = parameters.get('state') ?? '';
    const listener = this.#signIns.waiting.get(state);
    // Anyone can open this address, but it needs a pending state, which is valid once.
    if (!listener) return page(400, 'Not this sign-in', 'This link was used before, or its time is over.');
    const { ticket } = listener;
    if (ticket !== undefined && !cookies.split(/;\s*/).includes(`${COOKIE}=${ticket}`))
      return page(400, 'Not this browser', 'Begin with the address that you were given, in this browser.');
    this.#signIns.waiting.delete(state);
    return new Promise((resolve) => listener.arrive(parameters, resolve));
  }
}

/** One sign-in whose redirect comes to the gateway. */
export class SignInCallback implements CallbackListener {
  readonly redirectUri: string;
  /** The cookie value that the browser must have; undefined if there was no invitation. */
  ticket: string | undefined;
  readonly #mcpUrl: string;
  readonly #signIns: SignIns;
  #state: string | undefined;
  #arrived: (parameters: URLSearchParams) => void = () => {};
  #answer: ((response: Response) => void) | undefined;

  constructor(mcpUrl: string, signIns: SignIns) {
    this.#mcpUrl = mcpUrl;
    this.#signIns = signIns;
    this.redirectUri = `${mcpUrl}${CALLBACK}`;
  }

  /** The address of a page that says for whom the sign-in is. After this only a browser that opened it can finish. */
  invite(invitation: Invitation): string {
    this.ticket = randomBytes(16).toString('base64url');
    this.#signIns.invitations.set(this.ticket, invitation);
    return `${this.#mcpUrl}${SIGN_IN}?ticket=${this.ticket}`;
  }

  waitFor(state: string, signal: AbortSignal): Promise<URLSearchParams> {
    this.#state = state;
    this.#signIns.waiting.set(state, this);
    return new Promise((resolve, reject) => {
      const late = () => reject(new OAuthError('timed_out', 'nobody signed in in time'));
      if (signal.aborted) late();
      else signal.addEventListener('abort', late, { once: true });
      this.#arrived = resolve;
    });
  }

  arrive(parameters: URLSearchParams, answer: (response: Response) => void): void {
    this.#answer = answer;
    this.#arrived(parameters);
  }

  finish(error: OAuthError | undefined): void {
    this.#answer?.(
      error === undefined
        ? page(200, 'Signed in', 'You can close this page and go back.')
        : page(400, 'Not signed in', `${error.message}. Go back and try again.`),
    );
    this.#answer = undefined;
  }

  close(): void {
    if (this.#state !== undefined) this.#signIns.waiting.delete(this.#state);
    if (this.ticket !== undefined) this.#signIns.invitations.delete(this.ticket);
    this.finish(new OAuthError('closed', 'The sign-in has ended'));
  }
}

function page(status: number, title: string, text: string, link?: { href: string; label: string }): Response {
  return new Response(callbackPage(title, text, link), { status, headers: CALLBACK_HEADERS });
}
