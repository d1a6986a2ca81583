import type { AuditEntry, AuditKind } from '../../gateway/audit/audit-record.ts';
import type { HeldCode } from '../../gateway/catalogue/server-offer.ts';
import type { Judgement } from '../../gateway/policy/decide.ts';
import type { UncheckedReason } from '../../gateway/search/validate-arguments.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { Rewrite } from './outgoing-request.ts';

/** What a request is about, once its name was looked up. */
export interface Target {
  readonly kind: Extract<AuditKind, 'call' | 'read' | 'prompt'>;
  readonly server: string;
  /** Original name of the tool or prompt, or the URI on its server. */
  readonly tool: string;
  /** What the client called it. */
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** Whether the server of a tool says that it only reads; absent: unknown. */
  readonly readOnly?: boolean;
  readonly via?: string;
  /** Why its server is left to judge the arguments by the tool's schema. */
  readonly unchecked?: UncheckedReason | undefined;
  /** Why it is refused until a person accepts it. */
  readonly held?: HeldCode | undefined;
  /** The same as it is now: while a call waits for an approval the definition may change. */
  readonly heldNow?: () => HeldCode | undefined;
}

/** A request, who sent it, and how to reach them. */
export interface ClientCall {
  readonly client: Client;
  readonly request: ClientRequest;
  readonly exchange: Exchange;
}

/** A call that was judged and has an id. */
export interface JudgedCall extends ClientCall {
  readonly target: Target;
  readonly callId: string;
  /** By `performance.now()`. */
  readonly startedMs: number;
  /** The decision of the policy that holds now: a person may take longer to decide than a policy lasts. */
  judgement: Judgement;
}

/** An answer for the client, and what is recorded of the server's own bytes that it was made of. */
export interface Forwarded {
  readonly bytes: Uint8Array;
  readonly digest: Pick<AuditEntry, 'result_bytes' | 'result_sha256'>;
  readonly isError: boolean;
  readonly isRpcError: boolean;
  readonly resultType: string | undefined;
}
