import type { JsonObject } from '../../contract/json.ts';
import type { Implementation } from '../../wire/upstream.ts';

/** Masks secrets in what is logged, stored or shown. */
export type Redact = (text: string) => string;

/** What the person or program behind the host can be asked; only what is given is declared to servers. */
export interface ClientCallbacks {
  readonly roots?: (question: Question) => Promise<JsonObject>;
  readonly elicitation?: {
    readonly form?: (question: Question) => Promise<JsonObject>;
    readonly url?: (question: Question) => Promise<JsonObject>;
  };
  readonly sampling?: (question: Question) => Promise<JsonObject>;
}

/** A server's question: who asks, the protocol's params (their text begins with the server's name), and a signal that ends with the request it belongs to. */
export interface Question {
  readonly serverId: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

export interface ClientIdentity {
  readonly info: Implementation;
  readonly callbacks: ClientCallbacks;
  /** Declared instead of what the callbacks stand for: a gateway passes questions on to its client. */
  readonly capabilities?: JsonObject;
}
