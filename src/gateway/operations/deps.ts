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

/** What a search of the audit log asks for. */
export interface AuditQuery {
  readonly kind?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly outcome?: string | undefined;
  readonly caller?: string | undefined;
  /** Parts of a caller, a user or a client's name, with commas between them: one of them has to be there, whatever its case. */
  readonly who?: string | undefined;
  /** A part of the tool's name, whatever its case. */
  readonly tool_part?: string | undefined;
  readonly session?: string | undefined;
  /** Only calls of these profiles. */
  readonly profiles?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly q?: string | undefined;
}

/** What the audit log is verified by, beside what is noted of it here. */
export interface VerifyRequest {
  /** Hashes that somebody noted, by chain. */
  readonly heads: ReadonlyMap<string, string>;
  /** A file of noted heads, in place of the configured one. */
  readonly headsFile: string | undefined;
  /** An export in place of the log. */
  readonly file: string | undefined;
}

/** A definition that is not the accepted one, or that nobody accepted. */
export interface ToolChange {
  /** The public name of the tool; the id of the server where it is about what that offers beside tools. */
  readonly name: string;
  readonly server: string;
  /** Empty where it is about what the server offers beside tools. */
  readonly original_name: string;
  /** Who alone is offered it; null: everybody. */
  readonly user: string | null;
  /** `active`: it is in use nevertheless. */
  readonly status: ToolStatus;
  readonly flags: readonly string[];
  readonly definition_sha256: string;
  /** Null: none was accepted before. */
  readonly accepted_sha256: string | null;
  readonly diff: string;
}

/** One name may have changed for several users. */
export function changeKey({ name, user }: { readonly name: string; readonly user: string | null }): string {
  return user === null ? name : `${name}\n${user}`;
}

/** A decision, and the layers of policy that are not as their files are now. */
export interface CheckedDecision extends Decision {
  /** What is doubtful about the names that were asked about. */
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

/** Where calls of a profile may be approved. */
export interface ApprovalPlace {
  readonly profile: string;
  readonly surfaces: readonly Surface[];
}

/** What is in force. */
export interface PolicyState {
  readonly open: boolean;
  readonly layers: readonly JsonObject[];
  readonly approval: readonly ApprovalPlace[];
}

/** At once, or after a while. */
type Settled<T> = T | Promise<T>;

/** A finding, and the file that it is about. */
export interface LintedFinding extends Finding {
  readonly file: string;
}

/** A policy file as it is written; its text is null where there is none. */
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

/** What the operations of the gateway run on: a running gateway, or its files where none runs. */
export interface GatewayDeps {
  /** A gateway that runs carries out what changes something, and records it. */
  readonly isRecorded?: true;
  /** What this gateway is and serves. */
  about(): {
    readonly version: string;
    readonly url: string;
    readonly rooms: string[];
    readonly key_needed: boolean;
    readonly sample: boolean;
  };
  /** Whether a credential may decide and change. */
  isAdmin(authorization: string | undefined): boolean;
  /** The nodes that share what this one knows, in the order of their names. */
  nodes(): Settled<readonly z.output<typeof NodeItem>[]>;
  readonly servers: {
    list(): readonly z.output<typeof ServerItem>[];
    /** With the sign-in of one caller, where each has an own one; undefined: of the person on this machine. */
    find(id: string, caller?: string): z.output<typeof ServerDetail> | undefined;
    configError(): string | undefined;
    reconnect(id: string): Promise<void>;
    setEnabled(id: string, enabled: boolean): Promise<void>;
    /** A server registers itself; throws where the endpoint is not one that this credential may name. */
    register(manifest: z.output<typeof ServerManifest>, authorization: string | undefined): Promise<void>;
    /** Throws `SERVER_IS_CONFIGURED` for what stands in a file. */
    remove(id: string): Promise<void>;
    test(id: string, signal: AbortSignal): Promise<z.output<typeof ServerTest>>;
    /** The same for an entry that stands nowhere yet; throws `SERVER_INVALID`. */
    testEntry(
      id: string,
      entry: JsonObject,
      watch: { readonly signal: AbortSignal; tell(step: z.output<typeof TestStep>): void },
    ): Promise<z.output<typeof ServerTest>>;
    trust(id: string): Promise<void>;
    /** Writes an entry into the person's config; throws `SERVER_INVALID`. */
    add(id: string, entry: JsonObject): Promise<void>;
    removeConfigured(id: string): Promise<void>;
    /** The address at which a person signs in. */
    login(id: string, authorization: string | undefined): Promise<string>;
    /** The address at which one caller signs in for themselves; throws where all callers share one sign-in. */
    signIn(id: string, caller: string | undefined): Promise<string>;
  };
  readonly tools: {
    /** By public name, in byte order; those of one profile, as its policy decides, where it is named. Throws `PROFILE_NOT_FOUND`. */
    list(profile?: string): readonly z.output<typeof ToolItem>[] | Promise<readonly z.output<typeof ToolItem>[]>;
    /** Tools that are offered to single users; several may have one name. */
    ofUsers(): readonly z.output<typeof ToolItem>[];
    /** False, and nothing is accepted, where one of them changed again. */
    accept(server: string, seen: readonly SeenDefinition[]): boolean | Promise<boolean>;
    /** Definitions that wait for a person's word, by public name. */
    changes(): readonly ToolChange[];
  };
  /** What users got to sign in to servers that want a credential of each. */
  readonly credentials: {
    list(): readonly { readonly user: string; readonly server: string; readonly updated_at: string }[];
    /** False where there is none. */
    clear(user: string, server: string): boolean | Promise<boolean>;
  };
  readonly search: {
    find(input: FindToolsInput, profile: string): Promise<FoundTools>;
    /** The result of the tool itself; calls go through a gateway alone. */
    call(name: string, args: JsonObject, profile: string, signal: AbortSignal): Promise<JsonObject>;
    cost(profile: string): Promise<ListingCosts>;
    /** Whether the model is switched on, and whether its packages are installed. */
    semantic(): Promise<{ readonly on: boolean; readonly isInstalled: boolean }>;
    setSemantic(on: boolean): Promise<void>;
  };
  readonly approvals: {
    /** Has reads know what other nodes have asked; absent where there are none. */
    refresh?(): Promise<void> | undefined;
    list(filter: ApprovalFilter, limit: number, offset: number): readonly Approval[];
    count(filter: ApprovalFilter): number;
    find(id: string): Approval | undefined;
    decide(id: string, decision: ApprovalDecision): Approval | Promise<Approval>;
    /** Whether a call waits for it now; undefined where that is not known. */
    isAwaited?(id: string): boolean | undefined;
    /** Each yes that counts for any arguments of its tool. */
    remembered(): readonly RememberedApproval[];
    /** False where nothing is remembered under this id. */
    forget(id: string): boolean | Promise<boolean>;
    /** The exact arguments as JSON, or the part of them that a pointer leads to. */
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
    }): CheckedDecision | Promise<CheckedDecision>;
    status(): PolicyState | Promise<PolicyState>;
    lint(file: string | undefined): Promise<{ readonly ok: boolean; readonly findings: readonly LintedFinding[] }>;
    reload(): void | Promise<void>;
    /** The files that this gateway reads, as they are written now. */
    source(): Settled<readonly PolicySource[]>;
    /** What a text in the place of a file would mean; only files that `source` names can be asked about. */
    preview(file: string, text: string): Settled<PolicyPreview>;
    /** Throws `POLICY_CHANGED` where the file is not the one that was edited. */
    save(
      file: string,
      text: string,
      baseSha256: string | null,
    ): Promise<PolicySource & { readonly backup: string | null }>;
  };
  readonly events: {
    /** Server-sent events from now on, or after the last one that was seen where that is still known; they end with the credential. */
    stream(wanted: EventsWanted, call: Pick<Call, 'holding' | 'profiles' | 'caller'>): ReadableStream<Uint8Array>;
  };
  readonly audit: {
    search(query: AuditQuery, limit: number, offset: number): readonly JsonObject[] | Promise<readonly JsonObject[]>;
    call(callId: string): JsonObject | undefined | Promise<JsonObject | undefined>;
    summary(query: AuditQuery, range: SummaryRange): CallSummaryReport | Promise<CallSummaryReport>;
    /** `caller` is whoever asks, where one at a time may. */
    verify(request: VerifyRequest, caller?: string): Promise<VerifyReport>;
    /** Records as lines, some at a time; with their digests keyed where they should not be guessed from. */
    lines(redactDigests: boolean, caller?: string): Iterable<readonly string[]> | AsyncIterable<readonly string[]>;
    /** The arguments of a call as they came, where they were kept. */
    raw(callId: string): unknown;
    now(): number;
  };
}
