import type { JsonObject } from '../../contract/json.ts';
import type { Implementation } from '../../wire/upstream.ts';

/** Masks secrets in text that is logged, stored or shown. */
export type Redact = (text: string) => string;

/** Callbacks that answer servers' questions; only those that are given are declared to servers. */
export interface ClientCallbacks {
  readonly roots?: (question: Question) => Promise<JsonObject>;
  readonly elicitation?: {
    readonly form?: (question: Question) => Promise<JsonObject>;
    readonly url?: (question: Question) => Promise<JsonObject>;
  };
  readonly sampling?: (question: Question) => Promise<JsonObject>;
}

/** A server's question: the server, the protocol's params (their text begins with the server's name), and the signal of its request. */
export interface Question {
  readonly serverId: string;
  readonly params: JsonObject;
  readonly signal: AbortSignal;
}

export interface ClientIdentity {
  readonly info: Implementation;
  readonly callbacks: ClientCallbacks;
  /** Declared instead of the capabilities that the callbacks imply: a gateway forwards questions to its client. */
  readonly capabilities?: JsonObject;
}
