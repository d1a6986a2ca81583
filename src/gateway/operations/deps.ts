import type { z } from 'zod';
import type { Surface } from '../../contract/approval-surfaces.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Call } from '../../contract/operation.ts';
import type { Approval, ApprovalDecision, ApprovalFilter, RememberedApproval } from '../approval/approval.ts';
import type { CallSummaryReport, SummaryRange } from '../audit/call-summary.ts';
import type { VerifyReport } from '../audit/verify-chain.ts';
import type { SeenDefinition, ToolStatus } from '../catalogue/server-offer.ts';
import type { Decision } from '../policy/decide.ts';
import type { LintReport } from '../policy/lint-policy.ts';
import type { Finding } from '../policy/policy-document.ts';
import type { FindToolsInput, FoundTools } from '../search/find-tools.ts';
import type { ListingCosts } from '../search/listing-cost.ts';
import type { EventsWanted } from './event-names.ts';
import type { NodeItem, ServerDetail, ServerItem, ServerManifest, ServerTest, TestStep, ToolItem } from './items.ts';

/** A search of the audit log. */
export interface AuditQuery {
  readonly kind?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly outcome?: string | undefined;
  readonly caller?: string | undefined;
  /** Comma-separated parts of a caller, a user or a client's name, ignoring case: one of them must match. */
  readonly who?: string | undefined;
  /** A part of the tool's name, ignoring case. */
  readonly tool_part?: string | undefined;
  readonly session?: string | undefined;
  /** Only calls of these profiles. */
  readonly profiles?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly q?: string | undefined;
}

/** Noted heads to verify the audit log against, besides those noted here. */
export interface VerifyRequest {
  /** Hashes that a person noted, by chain. */
  readonly heads: ReadonlyMap<string, string>;
  /** A file of noted heads, instead of the configured one. */
  readonly headsFile: string | undefined;
  /** An export to verify instead of the log. */
  readonly file: string | undefined;
}

/** A definition that differs from the accepted one, or that was never accepted. */
export interface ToolChange {
  /** The public name of the tool; the server id for the server's extras. */
  readonly name: string;
  readonly server: string;
  /** Empty for the server's extras. */
  readonly original_name: string;
  /** The only user to whom it is offered; null: all users. */
  readonly user: string | null;
  /** `active`: it is in use anyway. */
  readonly status: ToolStatus;
  readonly flags: readonly string[];
  readonly definition_sha256: string;
  /** Null: no definition was accepted before. */
  readonly accepted_sha256: string | null;
  readonly diff: string;
}

/** One name may have changed for several users. */
export function changeKey({ name, user }: { readonly name: string; readonly user: string | null }): string {
  return user === null ? name : `${name}\n${user}`;
}

/** A decision, and the policy layers that differ from their files. */
export interface CheckedDecision extends Decision {
  /** Doubts about the names in the query. */
  readonly notes?: readonly string[];
  readonly degraded?: readonly {
    readonly layer: string;
    readonly file: string;
    readonly status: string;
    readonly sha256: string | null;
    readonly loaded_at: string | null;
    readonly errors: readonly Finding[];
  }[];
}

/** The approval surfaces of a profile. */
export interface ApprovalPlace {
  readonly profile: string;
  readonly surfaces: readonly Surface[];
}

/** The effective policy. */
export interface PolicyState {
  readonly open: boolean;
  readonly layers: readonly JsonObject[];
  readonly approval: readonly ApprovalPlace[];
}

/** Sync or async. */
type Settled<T> = T | Promise<T>;

/** A finding, and its file. */
export interface LintedFinding extends Finding {
  readonly file: string;
}

/** A policy file as written; its text is null if it does not exist. */
export interface PolicySource {
  readonly layer: string;
  readonly file: string;
  readonly text: string | null;
  readonly sha256: string | null;
}

export interface PolicyPreview extends LintReport {
  readonly changes: readonly {
    readonly server: string;
    readonly tool: string;
    readonly before: string;
    readonly after: string;
  }[];
}

/** A call of a tool by a person. */
export interface SearchCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly profile: string;
  /** The credential of the request, which decides who calls; undefined: a browser that signed in. */
  readonly authorization: string | undefined;
}

/** The dependencies of the gateway's operations: a running gateway, or its files if none runs. */
export interface GatewayDeps {
  /** A running gateway executes changes, and records them. */
  readonly isRecorded?: true;
  /** Describes this gateway and what it serves. */
  about(): {
    readonly version: string;
    readonly url: string;
    readonly rooms: string[];
    readonly key_needed: boolean;
    readonly sample: boolean;
  };
  /** Whether a credential may decide and change. */
  isAdmin(authorization: string | undefined): boolean;
  /** The name of the caller's key; undefined: it has none. */
  keyName(caller: string): string | undefined;
  /** The nodes that share this gateway's state, sorted by name. */
  nodes(): Settled<readonly z.output<typeof NodeItem>[]>;
  readonly servers: {
    list(): readonly z.output<typeof ServerItem>[];
    /** With the sign-in state of one caller, if each has its own; undefined: of the user of this machine. */
    find(id: string, caller?: string): z.output<typeof ServerDetail> | undefined;
    configError(): string | undefined;
    reconnect(id: string): Promise<void>;
    setEnabled(id: string, enabled: boolean): Promise<void>;
    /** Registers a server; throws if this credential may not register the endpoint. */
    register(manifest: z.output<typeof ServerManifest>, authorization: string | undefined): Promise<void>;
    /** Throws `SERVER_IS_CONFIGURED` for a server from a config file. */
    remove(id: string): Promise<void>;
    test(id: string, signal: AbortSignal): Promise<z.output<typeof ServerTest>>;
    /** Tests an entry that is not stored; throws `SERVER_INVALID`. */
    testEntry(
      id: string,
      entry: JsonObject,
      watch: { readonly signal: AbortSignal; tell(step: z.output<typeof TestStep>): void },
    ): Promise<z.output<typeof ServerTest>>;
    trust(id: string): Promise<void>;
    /** Writes an entry into the user's config; throws `SERVER_INVALID`. */
    add(id: string, entry: JsonObject): Promise<void>;
    removeConfigured(id: string): Promise<void>;
    /** The URL at which a person signs in. */
    login(id: string, authorization: string | undefined): Promise<string>;
    /** The URL at which one caller signs in; throws if all callers share one sign-in. */
    signIn(id: string, caller: string | undefined): Promise<string>;
  };
  readonly tools: {
    /** By public name, in byte order; for a profile, with the decisions of its policy. Throws `PROFILE_NOT_FOUND`. */
    list(profile?: string): readonly z.output<typeof ToolItem>[] | Promise<readonly z.output<typeof ToolItem>[]>;
    /** Tools that are offered to single users; several may have the same name. */
    ofUsers(): readonly z.output<typeof ToolItem>[];
    /** Returns false and accepts nothing if one of them has changed again. */
    accept(server: string, seen: readonly SeenDefinition[]): boolean | Promise<boolean>;
    /** Definitions that wait for acceptance, by public name. */
    changes(): readonly ToolChange[];
  };
  /** Users' sign-ins to servers that need a credential per user. */
  readonly credentials: {
    list(): readonly { readonly user: string; readonly server: string; readonly updated_at: string }[];
    /** False if there is none. */
    clear(user: string, server: string): boolean | Promise<boolean>;
  };
  readonly search: {
    find(input: FindToolsInput, profile: string): Promise<FoundTools>;
    /** The result of the tool itself; only a running gateway can call. */
    call(call: SearchCall, signal: AbortSignal): Promise<JsonObject>;
    cost(profile: string): Promise<ListingCosts>;
    /** Whether the model is enabled, and whether its packages are installed. */
    semantic(): Promise<{ readonly on: boolean; readonly isInstalled: boolean }>;
    setSemantic(on: boolean): Promise<void>;
  };
  readonly approvals: {
    /** Loads the approvals of other nodes; absent if there are none. */
    refresh?(): Promise<void> | undefined;
    list(filter: ApprovalFilter, limit: number, offset: number): readonly Approval[];
    count(filter: ApprovalFilter): number;
    find(id: string): Approval | undefined;
    decide(id: string, decision: ApprovalDecision): Approval | Promise<Approval>;
    /** Whether a call is waiting for it; undefined if unknown. */
    isAwaited?(id: string): boolean | undefined;
    /** All remembered approvals. */
    remembered(): readonly RememberedApproval[];
    /** False if nothing is remembered under this id. */
    forget(id: string): boolean | Promise<boolean>;
    /** The exact arguments as JSON, or the part at a pointer. */
    reveal(id: string, path: string | undefined): string | Promise<string>;
  };
  readonly policy: {
    check(attempt: {
      server: string;
      tool: string;
      arguments?: JsonObject | undefined;
      profile?: string | undefined;
      /** Milliseconds since the epoch; undefined: now. */
      at?: number | undefined;
      /** The caller may know only the servers of the profile: throws `SERVER_NOT_FOUND` for any other. */
      isBound?: boolean;
    }): CheckedDecision | Promise<CheckedDecision>;
    status(): PolicyState | Promise<PolicyState>;
    lint(file: string | undefined): Promise<{ readonly ok: boolean; readonly findings: readonly LintedFinding[] }>;
    reload(): void | Promise<void>;
    /** The policy files of this gateway, as written now. */
    source(): Settled<readonly PolicySource[]>;
    /** The effect of replacing a file's text; only for files that `source` lists. */
    preview(file: string, text: string): Settled<PolicyPreview>;
    /** Throws `POLICY_CHANGED` if the file changed since it was read. */
    save(
      file: string,
      text: string,
      baseSha256: string | null,
    ): Promise<PolicySource & { readonly backup: string | null }>;
  };
  readonly events: {
    /** Server-sent events from now on, or after the last seen one if it is still known; the stream ends when the credential does. */
    stream(wanted: EventsWanted, call: Pick<Call, 'holding' | 'profiles' | 'caller'>): ReadableStream<Uint8Array>;
  };
  readonly audit: {
    search(query: AuditQuery, limit: number, offset: number): readonly JsonObject[] | Promise<readonly JsonObject[]>;
    call(callId: string): JsonObject | undefined | Promise<JsonObject | undefined>;
    summary(query: AuditQuery, range: SummaryRange): CallSummaryReport | Promise<CallSummaryReport>;
    /** `caller` identifies the requester, because each may run one verification at a time. */
    verify(request: VerifyRequest, caller?: string): Promise<VerifyReport>;
    /** Records as lines, in batches; optionally with keyed digests that cannot be guessed. */
    lines(redactDigests: boolean, caller?: string): Iterable<readonly string[]> | AsyncIterable<readonly string[]>;
    /** The original arguments of a call, if they were stored. */
    raw(callId: string): unknown;
    now(): number;
  };
}
