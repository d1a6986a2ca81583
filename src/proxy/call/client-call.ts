import type { AuditEntry, AuditKind } from '../../gateway/audit/audit-record.ts';
import type { HeldCode } from '../../gateway/catalogue/server-offer.ts';
import type { Judgement } from '../../gateway/policy/decide.ts';
import type { UncheckedReason } from '../../gateway/search/validate-arguments.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { Rewrite } from './outgoing-request.ts';

/** The target of a request, after its name was looked up. */
export interface Target {
  readonly kind: Extract<AuditKind, 'call' | 'read' | 'prompt'>;
  readonly server: string;
  /** Name of the tool or prompt on its server, or the URI there. */
  readonly tool: string;
  /** The name that the client used. */
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  /** Whether the server declares the tool read-only; absent: unknown. */
  readonly readOnly?: boolean;
  readonly via?: string;
  /** Why the gateway does not check the arguments against the tool's schema. */
  readonly unchecked?: UncheckedReason | undefined;
  /** Why the target is refused until a person accepts it. */
  readonly held?: HeldCode | undefined;
  /** Reads `held` again: the definition may change while a call waits for an approval. */
  readonly heldNow?: () => HeldCode | undefined;
}

/** A request, its client, and the way back to the client. */
export interface ClientCall {
  readonly client: Client;
  readonly request: ClientRequest;
  readonly exchange: Exchange;
}

/** A call with an id and a policy decision. */
export interface JudgedCall extends ClientCall {
  readonly target: Target;
  readonly callId: string;
  /** By `performance.now()`. */
  readonly startedMs: number;
  /** The current policy decision: policy may change while a person decides. */
  judgement: Judgement;
}

/** An answer for the client, and the audit fields about the server's own bytes. */
export interface Forwarded {
  readonly bytes: Uint8Array;
  readonly digest: Pick<AuditEntry, 'result_bytes' | 'result_sha256'>;
  readonly isError: boolean;
  readonly isRpcError: boolean;
  readonly resultType: string | undefined;
}
