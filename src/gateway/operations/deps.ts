import type { z } from 'zod';
import type { Approval, ApprovalDecision, ApprovalStatus } from '../approval/approval.ts';
import type { VerifyReport } from '../audit/verify-chain.ts';
import type { Decision } from '../policy/decide.ts';
import type { LintReport } from '../policy/lint-policy.ts';
import type { ServerDetail, ServerItem, ToolItem } from './items.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a search of the audit log asks for. */
export interface AuditQuery {
  readonly kind?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly outcome?: string | undefined;
  readonly caller?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly q?: string | undefined;
}

/** What the operations of the gateway run on: a running gateway, or its files where none runs. */
export interface GatewayDeps {
  readonly servers: {
    list(): readonly z.output<typeof ServerItem>[];
    find(id: string): z.output<typeof ServerDetail> | undefined;
    configError(): string | undefined;
    reconnect(id: string): Promise<void>;
    setEnabled(id: string, enabled: boolean): Promise<void>;
  };
  readonly tools: {
    /** By public name, in byte order. */
    list(): readonly z.output<typeof ToolItem>[];
    accept(server: string, tool: string, sha256: string): boolean;
  };
  readonly approvals: {
    list(status: ApprovalStatus | undefined, limit: number, offset: number): readonly Approval[];
    find(id: string): Approval | undefined;
    decide(id: string, decision: ApprovalDecision): Approval;
  };
  readonly policy: {
    check(attempt: {
      server: string;
      tool: string;
      arguments?: JsonObject | undefined;
      profile?: string | undefined;
    }): Decision;
    status(): { open: boolean; layers: readonly JsonObject[] };
    lint(file: string | undefined): LintReport;
    reload(): void;
  };
  readonly audit: {
    search(query: AuditQuery, limit: number, offset: number): readonly JsonObject[];
    call(callId: string): JsonObject | undefined;
    verify(heads: ReadonlyMap<string, string>, file: string | undefined): VerifyReport;
    lines(): Iterable<string>;
    now(): number;
  };
}
