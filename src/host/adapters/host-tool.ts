import type { JsonObject } from '../../contract/json.ts';
import type { Progress } from '../../wire/upstream.ts';
import type { DefinitionFlag } from './tool-definition.ts';
import type { ToolResult } from './tool-result.ts';

export interface ExecuteOptions {
  /** Cancels the call: the server is told, and `execute` rejects. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A tool as a program or a model uses it. */
export interface HostTool {
  /** Public name: unique, and within what every model API accepts. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as the server gave it. */
  readonly parameters: JsonObject;
  /** Where it comes from; undefined for the host's own tools. */
  readonly origin: { readonly server: string; readonly tool: string } | undefined;
  /** What the server says of it; nobody has checked it. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly flags: readonly DefinitionFlag[];
  /** Asks for permission, calls, maps the result. Rejects only when the signal aborts; every other failure is a result. */
  execute(args: JsonObject, options?: ExecuteOptions): Promise<ToolResult>;
}
