import { createHmac, randomBytes } from 'node:crypto';
import type { AnyOperation, Call, SignIn } from '../../contract/operation.ts';
import type { Clock } from '../../contract/ports.ts';
import { UP_LIMITS } from '../limits.ts';
import { isSame } from './credentials.ts';

const COOKIE = 'bindery_console';
/** The header with the page's key. */
export const KEY_HEADER = 'bindery-console-key';

/** The browser's credentials after a sign-in. */
export interface SignedIn {
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
  /** For the storage of the page, which no other port can read; never put it in a URL. */
  readonly key: string;
}

/** A signed-in browser, from its signed cookie. */
interface Session {
  readonly id: string;
  readonly issuedAtMs: number;
}

/**
 * Signs a browser in as the admin: a single-use link gives it a cookie and a key. Browsers send the cookie to every port of the host,
 * so servers on other ports see it, but it is not enough: each request also needs the key, which the page keeps in its storage. Both
 * derive from the admin's token, so they survive a restart and become invalid with that token.
 */
export class ConsoleSignIn {
  readonly #token: string;
  readonly #clock: Clock;
  readonly #tlsHosts: () => readonly string[];
  /** Codes of unused links, with their expiry. */
  readonly #codes = new Map<string, number>();

  /** `tlsHosts`: hosts under which browsers reach this gateway over TLS. */
  constructor(token: string, clock: Clock, tlsHosts: () => readonly string[] = () => []) {
    this.#token = token;
    this.#clock = clock;
    this.#tlsHosts = tlsHosts;
  }

  /** A link for one sign-in. Without `lifeMs` it is valid as long as the gateway runs. */
  link(baseUrl: string, lifeMs = Number.POSITIVE_INFINITY): string {
    const code = randomBytes(32).toString('base64url');
    this.#codes.set(code, this.#clock.now() + lifeMs);
    const [oldest] = this.#codes.keys();
    if (this.#codes.size > UP_LIMITS.signInLinksMax && oldest !== undefined) this.#codes.delete(oldest);
    return `${baseUrl}/?sign_in=${code}`;
  }

  /** Signs in the holder of a link's code; undefined if the link is unknown, used or expired. */
  signIn(code: string, host: string | undefined): SignedIn | undefined {
    const found = [...this.#codes].find(([known]) => isSame(code, known));
    if (!found) return undefined;
    this.#codes.delete(found[0]);
    if (found[1] <= this.#clock.now()) return undefined;
    const issued = Math.floor(this.#clock.now() / 1_000);
    const session: Session = { id: randomBytes(16).toString('base64url'), issuedAtMs: issued * 1_000 };
    const value = `${issued}.${session.id}.${this.#sign('cookie', session)}`;
    const secure = this.#isTls(host) ? '; Secure' : '';
    const maxAge = UP_LIMITS.signedInMs / 1_000;
    return {
      cookie: `${this.#cookieName(host)}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${secure}`,
      key: this.#sign('key', session),
    };
  }

  /** The admin's identity, if the request comes from our page in a signed-in browser; otherwise undefined. */
  visitor(operation: Pick<AnyOperation, 'hints'>, call: Pick<Call, 'header'>): SignIn | undefined {
    // A request with a credential acts with that credential.
    if (call.header('authorization') !== undefined || !this.#isOwnPage(call, operation.hints.readOnly))
      return undefined;
    const session = this.#session(call);
    const key = call.header(KEY_HEADER);
    if (!session || key === undefined || !isSame(key, this.#sign('key', session))) return undefined;
    const isWithin = (lifeMs: number) => session.issuedAtMs + lifeMs > this.#clock.now();
    const mayChange = isWithin(UP_LIMITS.signedInToChangeMs);
    if (operation.hints.readOnly ? !isWithin(UP_LIMITS.signedInMs) : !mayChange) return undefined;
    return {
      mayChange,
      confirmation: (what) => {
        const untilMs = this.#clock.now() + UP_LIMITS.confirmationMs;
        return { value: `${untilMs}.${this.#sign(`confirm ${untilMs} ${what}`, session)}`, untilMs };
      },
      hasConfirmed: (what, value) => {
        const [, until, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
        if (until === undefined || signature === undefined || Number(until) <= this.#clock.now()) return false;
        return isSame(signature, this.#sign(`confirm ${until} ${what}`, session));
      },
    };
  }

  /** Keeps foreign pages out. It does not stop programs, which can send any header. */
  #isOwnPage(call: Pick<Call, 'header'>, isRead: boolean): boolean {
    if ((call.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin') return false;
    const [origin, host] = [call.header('origin'), call.header('host')];
    if (origin === undefined) return isRead;
    const url = URL.parse(origin);
    return url?.host === host && (!this.#isTls(host) || url?.protocol === 'https:');
  }

  #session(call: Pick<Call, 'header'>): Session | undefined {
    const name = this.#cookieName(call.header('host'));
    const pair = call
      .header('cookie')
      ?.split(/;\s*/)
      .find((one) => one.startsWith(`${name}=`));
    const [, issued, id, signature] =
      /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(pair?.slice(name.length + 1) ?? '') ?? [];
    if (issued === undefined || id === undefined || signature === undefined) return undefined;
    const session = { id, issuedAtMs: Number(issued) * 1_000 };
    return isSame(signature, this.#sign('cookie', session)) ? session : undefined;
  }

  /** Over TLS the browser accepts a cookie with this prefix only from this host. */
  #cookieName(host: string | undefined): string {
    return this.#isTls(host) ? `__Host-${COOKIE}` : COOKIE;
  }

  #isTls(host: string | undefined): boolean {
    return host !== undefined && this.#tlsHosts().includes(host);
  }

  #sign(what: string, { id, issuedAtMs }: Session): string {
    return createHmac('sha256', this.#token)
      .update(JSON.stringify([COOKIE, what, id, issuedAtMs]))
      .digest('base64url');
  }
}
