import { createHash, randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { ExpiringMap } from './expiring-map.ts';

const CODE_MS = 60_000;
const TOKEN_S = 300;
const KEPT_MAX = 1_000;
const PEOPLE = ['ada', 'grace'] as const;

interface Grant {
  readonly client: string;
  readonly person: string;
  readonly resource: string;
}
interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

/**
 * An authorization server to try sign-in with: discovery, registration, a consent page, codes with PKCE, and token refresh. Everything
 * is in memory and for this machine; it needs no password.
 */
export class DemoIssuer {
  readonly app = new Hono();
  readonly #issuer: () => string;
  readonly #clients: ExpiringMap<readonly string[]>;
  readonly #codes: ExpiringMap<Code>;
  readonly #tokens: ExpiringMap<Grant>;
  readonly #renewals: ExpiringMap<Grant>;

  constructor(issuer: () => string, now: () => number) {
    this.#issuer = issuer;
    const kept = <T>(lifeMs: number) => new ExpiringMap<T>(lifeMs, KEPT_MAX, now);
    this.#clients = kept(86_400_000);
    this.#codes = kept(CODE_MS);
    this.#tokens = kept(TOKEN_S * 1000);
    this.#renewals = kept(86_400_000);
    this.app.get('/.well-known/oauth-authorization-server', (context) => context.json(this.#metadata()));
    this.app.post('/register', (context) => this.#register(context));
    this.app.get('/authorize', (context) => this.#ask(context));
    this.app.post('/authorize', (context) => this.#answer(context));
    this.app.post('/token', (context) => this.#token(context));
  }

  /** The person of a token; undefined if it is not ours, for another resource, or expired. */
  personOf(authorization: string | undefined, resource: string): string | undefined {
    const grant = this.#tokens.get(authorization?.replace(/^Bearer /i, '') ?? '');
    return grant?.resource === resource ? grant.person : undefined;
  }

  #metadata() {
    const issuer = this.#issuer();
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['demo'],
    };
  }

  async #register(context: Context): Promise<Response> {
    const { redirect_uris } = (await context.req.json().catch(() => ({}))) as { redirect_uris?: unknown };
    const uris = Array.isArray(redirect_uris) ? redirect_uris.filter(isLoopback) : [];
    if (uris.length === 0)
      return refusal(context, 'invalid_redirect_uri', 'this demo takes addresses of this machine only');
    const client_id = random();
    this.#clients.set(client_id, uris);
    return context.json({ client_id, redirect_uris: uris, token_endpoint_auth_method: 'none' }, 201);
  }

  /** A client's valid authorization request; undefined if it is not allowed, and then nothing is sent to its redirect address. */
  #asked(query: Readonly<Record<string, string>>): (Omit<Code, 'person'> & { readonly state: string }) | undefined {
    const {
      client_id = '',
      redirect_uri = '',
      code_challenge = '',
      code_challenge_method,
      resource,
      state = '',
    } = query;
    const isKnown = this.#clients.get(client_id)?.some((uri) => isSameLoopback(uri, redirect_uri)) === true;
    if (!isKnown || code_challenge === '' || code_challenge_method !== 'S256') return undefined;
    const client = client_id;
    return { client, redirectUri: redirect_uri, challenge: code_challenge, resource: resource ?? '', state };
  }

  #ask(context: Context): Response | Promise<Response> {
    const query = context.req.query();
    if (!this.#asked(query)) return refusal(context, 'invalid_request', 'unknown client, address or challenge');
    const hidden = Object.entries(query).map(
      ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
    );
    const buttons = PEOPLE.map((person) => `<button name="person" value="${person}">Sign in as ${person}</button>`);
    return context.html(
      `<!doctype html><html lang="en"><title>Demo sign-in</title><h1>Demo sign-in</h1><p>Bindery asks to use the demo server for you.</p>` +
        `<form method="post">${hidden.join('')}${buttons.join(' ')} <button name="person" value="">Deny</button></form></html>`,
      200,
      { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'", 'cache-control': 'no-store' },
    );
  }

  async #answer(context: Context): Promise<Response> {
    const { person = '', ...query } = await formOf(context);
    const asked = this.#asked(query);
    if (!asked) return refusal(context, 'invalid_request', 'unknown client, address or challenge');
    const { state, ...grant } = asked;
    const back = new URL(grant.redirectUri);
    if (PEOPLE.some((known) => known === person)) {
      const code = random();
      this.#codes.set(code, { ...grant, person });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', 'access_denied');
    back.searchParams.set('state', state);
    back.searchParams.set('iss', this.#issuer());
    return context.redirect(back.href, 303);
  }

  async #token(context: Context): Promise<Response> {
    const form = await formOf(context);
    const grant = form.grant_type === 'refresh_token' ? this.#renewed(form) : this.#redeemed(form);
    if (!grant) return refusal(context, 'invalid_grant', 'the code or token is unknown, used or over');
    const [access_token, refresh_token] = [random(), random()];
    this.#tokens.set(access_token, grant);
    this.#renewals.set(refresh_token, grant);
    return context.json(
      { access_token, refresh_token, token_type: 'Bearer', expires_in: TOKEN_S, scope: 'demo' },
      200,
      {
        'cache-control': 'no-store',
      },
    );
  }

  #redeemed({ code = '', code_verifier = '', client_id, redirect_uri }: Record<string, string>): Grant | undefined {
    const found = this.#codes.get(code);
    // A code is valid once, even if the exchange fails.
    this.#codes.delete(code);
    if (!found || found.client !== client_id || found.redirectUri !== redirect_uri) return undefined;
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    const { client, person, resource } = found;
    return challenge === found.challenge ? { client, person, resource } : undefined;
  }

  #renewed({ refresh_token = '', client_id }: Record<string, string>): Grant | undefined {
    const found = this.#renewals.get(refresh_token);
    this.#renewals.delete(refresh_token);
    return found?.client === client_id ? found : undefined;
  }
}

function refusal(context: Context, error: string, error_description: string): Response {
  return context.json({ error, error_description }, 400);
}

async function formOf(context: Context): Promise<Record<string, string>> {
  const body = await context.req.parseBody();
  return Object.fromEntries(
    Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

function isLoopback(uri: unknown): uri is string {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  return url !== null && url.protocol === 'http:' && /^(127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname);
}

/** A program on this machine may use another port than the registered one. */
function isSameLoopback(registered: string, asked: string): boolean {
  if (!isLoopback(asked)) return false;
  const [one, other] = [new URL(registered), new URL(asked)];
  return one.hostname === other.hostname && one.pathname === other.pathname;
}

function random(): string {
  return randomBytes(24).toString('base64url');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
