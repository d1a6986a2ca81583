// The package entry `mcp-bindery/gateway`: exports here are public.
export type { AuditEntry, AuditRecord, Outcome } from './audit/audit-record.ts';
export { chainEntry, exportLine, GENESIS, parseExportLine } from './audit/chain.ts';
export { type NotedHead, type VerifyReport, verifyChain } from './audit/verify-chain.ts';
export { type Decision, type Judgement, judge, type PolicyLayer } from './policy/decide.ts';
export { type LintReport, lintPolicy } from './policy/lint-policy.ts';
export { parsePolicy } from './policy/parse-policy.ts';
export type { Finding, ParsedPolicy } from './policy/policy-document.ts';
