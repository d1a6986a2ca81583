import type { JsonObject } from '../../contract/json.ts';
import type { Progress } from '../../wire/upstream.ts';
import type { DefinitionFlag } from './tool-definition.ts';
import type { ToolResult } from './tool-result.ts';

export interface ExecuteOptions {
  /** Cancels the call: notifies the server, and `execute` rejects. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A tool as a program or a model uses it. */
export interface HostTool {
  /** Public name: unique, and valid for every model API. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as the server sent it. */
  readonly parameters: JsonObject;
  /** The server and its tool name; undefined for the host's own tools. */
  readonly origin: { readonly server: string; readonly tool: string } | undefined;
  /** Declared by the server; not verified. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly flags: readonly DefinitionFlag[];
  /** Asks for permission, calls, and maps the result. Rejects only if the signal aborts; every other failure is a result. */
  execute(args: JsonObject, options?: ExecuteOptions): Promise<ToolResult>;
}
