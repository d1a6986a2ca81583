import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AnyOperation, Call } from '../contract/operation.ts';
import type { Clock } from '../contract/ports.ts';

const COOKIE = 'bindery_console';
const SIGNED_IN_SECONDS = 7 * 86_400;

/**
 * Lets a browser act as the admin: a link that works once gives it a cookie. The cookie says until when it holds and is
 * signed with the admin's token, so it survives a restart and ends with that token.
 */
export class ConsoleSignIn {
  readonly #token: string;
  readonly #clock: Clock;
  #code: string | undefined = randomBytes(32).toString('base64url');

  constructor(token: string, clock: Clock) {
    this.#token = token;
    this.#clock = clock;
  }

  /** The link of this start; a person opens it once. */
  link(baseUrl: string): string {
    return `${baseUrl}/?sign_in=${this.#code}`;
  }

  /** The cookie for whoever brings the code of the link; undefined where it is another one, or was used. */
  signIn(code: string): string | undefined {
    if (this.#code === undefined || !isSame(code, this.#code)) return undefined;
    this.#code = undefined;
    const until = String(Math.floor(this.#clock.now() / 1_000) + SIGNED_IN_SECONDS);
    const value = `${until}.${this.#signature(until)}`;
    return `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SIGNED_IN_SECONDS}`;
  }

  /**
   * Whether a call comes from a browser that signed in. Cookies know no ports: a page of another port of this machine
   * sends it too, so whatever changes something must come from a page of ours.
   */
  isSignedIn(operation: Pick<AnyOperation, 'hints'>, call: Pick<Call, 'header'>): boolean {
    const origin = call.header('origin');
    const isOwnPage = origin !== undefined && URL.canParse(origin) && new URL(origin).host === call.header('host');
    if (!isOwnPage && (origin !== undefined || !operation.hints.readOnly)) return false;
    const [, until, signature] = PATTERN.exec(call.header('cookie') ?? '') ?? [];
    if (until === undefined || signature === undefined) return false;
    return isSame(signature, this.#signature(until)) && Number(until) * 1_000 > this.#clock.now();
  }

  #signature(until: string): string {
    return createHmac('sha256', this.#token).update(`${COOKIE} ${until}`).digest('base64url');
  }
}

const PATTERN = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\d{1,15})\\.([\\w-]{43})(?:;|$)`);

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
