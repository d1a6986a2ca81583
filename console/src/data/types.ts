/** What the API answers, as far as the console shows it. */

export interface Session {
  readonly version: string;
  readonly url: string;
  readonly role: 'admin' | 'reader';
  /** May also change what a key may not. */
  readonly owner: boolean;
  readonly caller: string | null;
  /** Of the key that signed in. */
  readonly name: string | null;
  readonly profiles: readonly string[] | null;
  readonly rooms: readonly string[];
  readonly key_needed: boolean;
  readonly sample: boolean;
}

export interface Server {
  readonly id: string;
  readonly transport: string | null;
  readonly source: 'global' | 'project' | 'registered' | 'builtin';
  readonly enabled: boolean;
  readonly state: 'disabled' | 'connecting' | 'auth_required' | 'ready' | 'error';
  readonly reason: string | null;
  readonly connected: boolean;
  readonly era: string | null;
  readonly protocol_version: string | null;
  readonly tools: number;
  readonly held: number;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half_open';
    readonly failures: number;
    readonly retry_at: string | null;
  };
  readonly last_error: string | null;
  readonly last_connected_at: string | null;
  readonly last_health_check: string | null;
}

export interface ServerMoment {
  readonly time: string;
  readonly state: Server['state'];
  readonly reason: string | null;
}

export interface SignInStep {
  readonly name: 'discover' | 'register' | 'consent' | 'token';
  readonly state: 'running' | 'done' | 'failed';
  readonly detail: string | null;
  readonly next: string | null;
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly status: number | null;
    readonly type: string | null;
  }[];
  readonly time: string;
}

export interface TestStep {
  readonly name: 'connect' | 'initialize' | 'list';
  readonly state: 'running' | 'done' | 'failed';
  readonly ms: number;
}

export interface ServerDetail extends Server {
  readonly history?: readonly ServerMoment[];
  readonly credentials?: 'shared' | 'per_user';
  readonly signed_in_at?: string | null;
  readonly sign_in?: readonly SignInStep[];
  readonly stderr: string | null;
  readonly server_info: Readonly<Record<string, unknown>> | null;
}

export interface ServerTest {
  readonly ok: boolean;
  readonly protocol_version: string | null;
  readonly server_info: unknown;
  readonly tools: number | null;
  readonly ms: number;
  readonly steps: readonly TestStep[];
  readonly stderr: string | null;
  readonly error: string | null;
  readonly needs_sign_in: boolean;
}

export type Verdict = 'allow' | 'deny' | 'approval';

export interface Tool {
  readonly name: string;
  readonly server: string;
  readonly original_name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly input_schema: unknown;
  readonly output_schema: unknown;
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly read_only: boolean;
  readonly tokens: number;
  readonly definition_sha256: string;
  readonly status: 'active' | 'changed' | 'quarantined' | 'removed';
  readonly flags: readonly string[];
  readonly decision: { readonly decision: Verdict; readonly rule: string };
}

export interface ToolChange {
  readonly name: string;
  readonly server: string;
  readonly original_name: string;
  readonly user: string | null;
  readonly status: string;
  readonly flags: readonly string[];
  readonly definition_sha256: string;
  readonly accepted_sha256: string | null;
  readonly diff: string;
}

/** A change of a definition, and who accepted it. */
export interface DefinitionMoment {
  readonly time: string;
  readonly tool: string;
  readonly user: string | null;
  readonly status: string;
  readonly definition_sha256: string;
  readonly before_sha256: string | null;
  readonly diff: string;
  readonly accepted_at: string | null;
  readonly accepted_by: string | null;
}

/** A text of the arguments of which only the beginning is listed; a note of the gateway follows it in the value. */
export interface CutText {
  readonly path: string;
  readonly shown: number;
  readonly characters: number;
}

export interface Approval {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'used' | 'denied' | 'expired';
  readonly server: string;
  readonly tool: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly masked: readonly string[];
  readonly cut?: readonly CutText[];
  readonly arguments_sha256: string;
  readonly reason: string | null;
  readonly rule: { readonly file: string | null; readonly line: number | null; readonly pointer: string | null };
  readonly caller: string;
  readonly profile: string;
  readonly session: string | null;
  readonly client: { readonly name: string; readonly version: string } | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly decided_via: string | null;
  readonly decision_reason: string | null;
  readonly remember: 'none' | 'session' | 'always';
  readonly remember_allowed: 'never' | 'session' | 'always';
  readonly surfaces: readonly string[];
  readonly call_id: string;
}

/** An approval that allows any arguments of its tool. */
export interface Remembered {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly caller: string;
  readonly profile: string;
  readonly scope: string;
  readonly via: string;
  readonly expires_at: string;
  readonly approval_id: string | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
}

export interface Call {
  readonly kind: string;
  readonly call_id: string;
  readonly time: string;
  readonly chain: string;
  readonly seq: number;
  readonly caller?: string;
  readonly user?: string;
  readonly client?: { readonly name: string; readonly version: string };
  readonly profile?: string;
  readonly session?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly name?: string;
  readonly action?: string;
  readonly arguments?: unknown;
  readonly arguments_sha256?: string;
  readonly decision?: string;
  readonly rule?: { readonly rule: string; readonly layer?: string; readonly file?: string; readonly line?: number };
  readonly approval_id?: string;
  readonly approver?: string;
  readonly outcome?: string;
  readonly result_type?: string;
  readonly result_bytes?: number;
  readonly result_sha256?: string;
  readonly queue_us?: number;
  readonly upstream_us?: number;
  readonly total_us?: number;
}

export interface CallWithRecords extends Call {
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export interface Figures {
  readonly calls: number;
  readonly ok: number;
  readonly failed: number;
  readonly denied: number;
  readonly undecided: number;
  readonly p50_us: number | null;
  readonly p95_us: number | null;
}

export interface Summary {
  readonly since: string;
  readonly until: string;
  readonly bucket_ms: number;
  readonly total: Figures;
  readonly buckets: readonly (Figures & { readonly time: string })[];
  readonly servers: readonly (Figures & { readonly server: string; readonly buckets?: readonly Figures[] })[];
  readonly tools: readonly {
    readonly server: string;
    readonly tool: string;
    readonly calls: number;
    readonly failed: number;
  }[];
  readonly truncated: boolean;
}

export interface Costs {
  readonly exposure: 'auto' | 'search' | 'all';
  readonly exposures: {
    readonly all: { readonly tools: number; readonly tokens: number };
    readonly search: { readonly tools: number; readonly tokens: number };
    readonly auto: { readonly as: string; readonly tools: number; readonly tokens: number };
  };
  /** Of every tool that a client may call. */
  readonly servers: readonly { readonly server: string; readonly tools: number; readonly tokens: number }[];
}

export interface PolicyLayer {
  readonly layer: string;
  readonly file: string;
  readonly profile?: string;
  readonly status: 'ok' | 'bad' | 'vanished';
  readonly loaded_at: string | null;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

export interface PolicyState {
  readonly open: boolean;
  readonly layers: readonly PolicyLayer[];
  readonly approval: readonly { readonly profile: string; readonly surfaces: readonly string[] }[];
}

export interface Finding {
  readonly level: string;
  readonly code: string;
  readonly line: number;
  readonly message: string;
}

export interface PolicySource {
  readonly layer: string;
  readonly file: string;
  readonly text: string | null;
  readonly sha256: string | null;
}

export interface PolicyPreview {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly changes: readonly {
    readonly server: string;
    readonly tool: string;
    readonly before: Verdict;
    readonly after: Verdict;
  }[];
}

export interface Decision {
  readonly decision: Verdict;
  readonly rule: string;
  readonly layer: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly reason: string | null;
  readonly refused?: { readonly pointer: string | null; readonly value: string | null; readonly why: string };
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly profiles: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}
