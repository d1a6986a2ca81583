import { perBrowser } from './stores.ts';

const KEY_STORED_AS = 'bindery_console_key';
/** Answers who the caller is. */
export const SESSION = '/v1/session';
const TOKEN_STORED_AS = 'bindery_console_token';

/** A refusal of the API, with what to do next. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string | undefined;
  readonly next: string | undefined;
  readonly requestId: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(textOf(body.title) ?? `HTTP ${status}`);
    this.status = status;
    this.code = textOf(body.code) ?? `HTTP_${status}`;
    this.detail = textOf(body.detail);
    this.next = textOf(body.next);
    this.requestId = textOf(body.request_id);
    this.members = body;
  }
}

/** The gateway wants a credential, or does not know the one that was sent. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Problem && error.status === 401;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A key or token that a person typed here; kept until the tab is closed. */
export const typedToken = perBrowser(sessionStorage.getItem(TOKEN_STORED_AS) ?? '');

/** Counts answers that say that the credential does not suffice. */
export const refusals = perBrowser(0);

export function keepToken(token: string): void {
  if (token === '') sessionStorage.removeItem(TOKEN_STORED_AS);
  else sessionStorage.setItem(TOKEN_STORED_AS, token);
  typedToken.value = token;
}

/** Removes the credentials of this browser. */
export function forgetCredentials(): void {
  localStorage.removeItem(KEY_STORED_AS);
  keepToken('');
}

/** The credential headers. The cookie of a sign-in counts only with the key that only this page can read. */
export function credentialHeaders(): Record<string, string> {
  if (typedToken.value !== '') return { authorization: `Bearer ${typedToken.value}` };
  const key = localStorage.getItem(KEY_STORED_AS);
  return key === null ? {} : { 'bindery-console-key': key };
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request to the public API; throws a `Problem` if it refuses. */
export async function api<T>(path: string, request: Request = {}): Promise<T> {
  const response = await send(path, request);
  return (await response.json()) as T;
}

export async function send(path: string, request: Request = {}): Promise<Response> {
  const { method = 'GET', body, headers, signal: abort } = request;
  const response = await fetch(`${path}${queryOf(request.query)}`, {
    method,
    headers: {
      accept: 'application/json',
      ...credentialHeaders(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(abort ? { signal: abort } : {}),
    cache: 'no-store',
  });
  if (response.ok) return response;
  const told: unknown = await response.json().catch(() => ({}));
  const problem = new Problem(response.status, typeof told === 'object' && told !== null ? { ...told } : {});
  if (path !== SESSION && (response.status === 401 || problem.code === 'ADMIN_REQUIRED')) refusals.value += 1;
  throw problem;
}

function queryOf(query: Request['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  const text = given.toString();
  return text === '' ? '' : `?${text}`;
}

/** Every page of a list. */
export async function listAll<T>(path: string, query: Request['query'] = {}): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: { items: T[]; next_cursor: string | null } = await api(path, {
      query: { ...query, limit: 1000, cursor },
    });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
