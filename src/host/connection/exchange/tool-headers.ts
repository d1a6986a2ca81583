import { isObject } from '../../../contract/json.ts';
import { type HeaderDeclaration, scanHeaderDeclarations } from '../../../wire/param-headers.ts';

/** The tool arguments that are mirrored as headers, learned from `tools/list`. */
export class ToolHeaders {
  readonly #known = new Map<string, readonly HeaderDeclaration[]>();

  learn(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool.name !== 'string') continue;
      const scan = scanHeaderDeclarations(tool.inputSchema);
      // Most tools declare none and need no entry.
      if (scan.valid && scan.declarations.length > 0) this.#known.set(tool.name, scan.declarations);
      else this.#known.delete(tool.name);
    }
  }

  of(tool: string, inputSchema?: unknown): readonly HeaderDeclaration[] {
    if (inputSchema === undefined) return this.#known.get(tool) ?? [];
    const scan = scanHeaderDeclarations(inputSchema);
    return scan.valid ? scan.declarations : [];
  }
}
