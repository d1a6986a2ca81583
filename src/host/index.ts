// The package entry `mcp-bindery/host`: exports here are public.
export { BinderyError } from '../contract/errors.ts';
export type { Log, LogFields } from '../contract/ports.ts';
export { createRedactor, type Redactor } from '../contract/redact.ts';
export type { Implementation, Progress } from '../wire/upstream.ts';
export type { ExecuteOptions, HostTool } from './adapters/host-tool.ts';
export { providerSchema } from './adapters/provider-schema.ts';
export {
  type AiSdkTool,
  type AnthropicTool,
  aiSdkTools,
  anthropicResult,
  anthropicTools,
  type OpenAiTool,
  openAiResult,
  openAiTools,
} from './adapters/provider-tools.ts';
export type { CheckOutput } from './adapters/server-tools.ts';
export type { ResultPart, ToolResult } from './adapters/tool-result.ts';
export type { ServerEntry } from './config/server-entry.ts';
export type { PermissionRule } from './config/settings/permission-settings.ts';
export type { ClientCallbacks, Question } from './connection/ports.ts';
export type { NameResolver, ResolvedName } from './connection/supervision/named-endpoint.ts';
export { createHost, type HostOptions } from './create-host.ts';
export { memoryTokens } from './oauth/memory-tokens.ts';
export type { SignInPorts, SignInRequest } from './oauth/sign-in.ts';
export { type CredentialStore, fileTokens, type StoredCredentials } from './oauth/token-store.ts';
export type { PermissionRules } from './permissions/permission-rules.ts';
export type { ApprovalMode, PermissionPrompt, PermissionRequest } from './permissions/permissions.ts';
export type { PermissionAnswer } from './permissions/read-answer.ts';
export type { StatusItem } from './status-item.ts';
export type { Completion, CompletionReference, ToolHost } from './tool-host.ts';
