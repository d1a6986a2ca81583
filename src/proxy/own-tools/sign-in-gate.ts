import type { CancelSignal } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { isUpstreamError } from '../../wire/upstream.ts';
import { InputRequired } from '../approvals/approval-ports.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { requestWith } from '../message/client-message.ts';

/** A sign-in that a person was asked for. */
export interface PendingSignIn {
  readonly id: string;
  readonly url: string;
  /** Resolves when the person has signed in and the server is usable. */
  readonly done: Promise<void>;
}

/** The sign-ins of callers to servers with per-user credentials. */
export interface SignInPort {
  isPerUser(server: string): boolean;
  /** Servers that wait for this caller to sign in. */
  waiting(caller: string): readonly string[];
  /** Begins a sign-in, or joins the running one. */
  begin(server: string, caller: string): Promise<PendingSignIn>;
}

const ANSWER_KEY = 'bindery_sign_in';

/** Asks the person behind a client to sign in, in a way that the client supports, and waits for a limited time. */
export class SignInGate {
  readonly #port: SignInPort;
  readonly #waitMs: number;

  constructor(port: SignInPort, waitMs: number) {
    this.#port = port;
    this.#waitMs = waitMs;
  }

  isPerUser(server: string): boolean {
    return this.#port.isPerUser(server);
  }

  waiting(caller: string): readonly string[] {
    return this.#port.waiting(caller);
  }

  /** Whether a sign-in of the caller would resolve this failure. */
  canMend(thrown: unknown, server: string): boolean {
    return isUpstreamError(thrown) && thrown.kind === 'auth' && thrown.signIn === true && this.isPerUser(server);
  }

  /**
   * Resolves when the caller has signed in to the server. Throws `AUTH_REQUIRED` with the sign-in address, or `InputRequired` with the
   * question for a 2026 client.
   */
  async requireSignIn(client: Client, request: ClientRequest, exchange: Exchange, server: string): Promise<void> {
    const pending = await this.#port.begin(server, client.caller);
    const message = `Sign in to ${server}, so that Bindery can use it for you.`;
    if (!canOpenUrls(client)) throw signInNeeded(server, pending.url);
    if (client.era === '2026') {
      const action = answeredAction(request);
      if (action === undefined)
        throw new InputRequired({
          resultType: 'input_required',
          inputRequests: {
            [ANSWER_KEY]: { method: 'elicitation/create', params: { mode: 'url', message, url: pending.url } },
          },
        });
      if (action !== 'accept') throw signInNeeded(server, pending.url);
      await this.#wait(pending, server, exchange.signal);
      return;
    }
    const params = { mode: 'url', elicitationId: pending.id, message, url: pending.url };
    const answer = await exchange.ask('elicitation/create', params, exchange.signal).catch(() => undefined);
    if (answer?.action !== 'accept') throw signInNeeded(server, pending.url);
    await this.#wait(pending, server, exchange.signal);
    const done = { method: 'notifications/elicitation/complete', params: { elicitationId: pending.id } };
    exchange.send(encodeNotification(done));
  }

  /** The request for its server: without the answer to our question. */
  unwrap(request: ClientRequest): ClientRequest {
    const { params } = request;
    if (!isObject(params?.inputResponses) || !Object.hasOwn(params.inputResponses, ANSWER_KEY)) return request;
    const { inputResponses, requestState, ...rest } = params;
    const { [ANSWER_KEY]: _ours, ...responses } = inputResponses as Record<string, unknown>;
    const theirs = {
      ...rest,
      ...(Object.keys(responses).length > 0 ? { inputResponses: responses } : {}),
      // Our question has no state of its own: an empty one comes from the approval that wraps it.
      ...(requestState === undefined || requestState === '' ? {} : { requestState }),
    };
    return requestWith(request, request.method, theirs);
  }

  async #wait({ done, url }: PendingSignIn, server: string, signal: CancelSignal): Promise<void> {
    let stop = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      const give = () => reject(signInNeeded(server, url));
      const timer = setTimeout(give, this.#waitMs);
      signal.addEventListener('abort', give, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', give);
      };
    });
    try {
      await Promise.race([done, late]);
    } catch (cause) {
      throw cause instanceof BinderyError ? cause : signInNeeded(server, url, cause);
    } finally {
      stop();
    }
  }
}

function canOpenUrls({ capabilities: { elicitation } }: Client): boolean {
  return isObject(elicitation) && isObject(elicitation.url);
}

/** The person's answer to our question, as the retry carries it. */
function answeredAction({ params }: ClientRequest): unknown {
  const answer = isObject(params?.inputResponses) ? params.inputResponses[ANSWER_KEY] : undefined;
  if (!isObject(answer)) return undefined;
  return isObject(answer.result) ? answer.result.action : answer.action;
}

function signInNeeded(server: string, url: string, cause?: unknown): BinderyError {
  return new BinderyError('AUTH_REQUIRED', {
    detail: `A person has to open ${url} and sign in to ${server}`,
    next: 'Show the address to the person, and call again once they have signed in.',
    members: { authorization_url: url },
    ...(cause === undefined ? {} : { cause }),
  });
}
