import type { ErrorCode } from '../../contract/errors.ts';
import type { Forwarded } from '../call/client-call.ts';
import type { Client, ClientResponse } from '../message/client.ts';
import type { HeldTarget } from '../sessions/held-calls.ts';

/** A message between nodes. Client messages travel as their original text. */
export type NodeMessage =
  /** A client's answer to a question that the receiver asked. */
  | { readonly kind: 'answer'; readonly session: string; readonly response: ClientResponse }
  /** A client cancelled a request; the node that runs it aborts it. */
  | { readonly kind: 'cancelled'; readonly session: string; readonly requestId: unknown }
  /** A notification to a session outside any request; the node with its stream forwards it. */
  | { readonly kind: 'notice'; readonly session: string; readonly message: string }
  /** A retry of a call that the receiver holds. Replies go to `from` under the same exchange id. */
  | {
      readonly kind: 'continue';
      readonly from: string;
      readonly exchange: string;
      readonly client: Client;
      readonly request: string;
      readonly target: HeldTarget;
    }
  /** The client of a retry disconnected. */
  | { readonly kind: 'abandoned'; readonly exchange: string }
  /** A message to the client before the answer. */
  | { readonly kind: 'said'; readonly exchange: string; readonly message: string }
  | { readonly kind: 'forwarded'; readonly exchange: string; readonly forwarded: WrittenForwarded }
  | {
      readonly kind: 'failed';
      readonly exchange: string;
      /** The server's own error, or one of ours. */
      readonly failure:
        | { readonly rpc: { readonly code: number; readonly message: string; readonly data?: unknown } }
        | { readonly code: ErrorCode; readonly detail?: string };
    };

/** An answer with its bytes as text. */
export type WrittenForwarded = Omit<Forwarded, 'bytes' | 'resultType'> & {
  readonly text: string;
  readonly resultType?: string | undefined;
};
