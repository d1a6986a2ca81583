import { visibleText } from '../../contract/visible-text.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import { DEFINITION_LIMITS, type DefinitionFlag } from './definition-limits.ts';
import { wellFormedTool } from './well-formed.ts';

/** What a server of revision 2025 can ask of its client, and may show further tools for. */
export const ASKED_CAPABILITIES = ['elicitation', 'sampling', 'roots'] as const;
export type AskedCapability = (typeof ASKED_CAPABILITIES)[number];

/** A tool as a server gave it. */
export interface RawTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A tool as clients may see it: what was dangerous is cut or made visible, and flagged. */
export interface SafeTool {
  readonly tool: RawTool;
  readonly flags: readonly DefinitionFlag[];
}

const OPEN_SCHEMA = { type: 'object', additionalProperties: true };
const ADDRESSES_MODEL =
  /\b(?:ignore|disregard|forget)\b[^.]{0,40}\b(?:previous|prior|above|other|all)\b[^.]{0,30}\b(?:instruction|rule|tool|prompt)|\bdo not (?:tell|inform|mention|reveal)[^.]{0,30}\buser\b|<\s*(?:important|system|instructions?)\s*>|\byou (?:must|should) (?:always|first) (?:call|use|read|send)\b/i;

/** Holds a definition to the limits and to its form. A name that cannot be used is refused by `isUsableName`, not here. */
export function safeTool(given: RawTool): SafeTool {
  const flags = new Set<DefinitionFlag>();
  const tool = wellFormedTool(given);
  if (tool !== given) flags.add('repaired');
  const text = (value: string) => {
    const beginning = shownBeginning(value).replaceAll('\r\n', '\n');
    const visible = visibleText(beginning);
    if (visible !== beginning) flags.add('invisible_characters');
    if (ADDRESSES_MODEL.test(visible)) flags.add('addresses_the_model');
    const cut = cutText(visible, DEFINITION_LIMITS.descriptionBytesMax);
    if (cut !== visible) flags.add('description_cut');
    return cut;
  };
  const inputSchema = safeSchema(tool.inputSchema, flags) ?? OPEN_SCHEMA;
  const outputSchema = tool.outputSchema === undefined ? undefined : safeSchema(tool.outputSchema, flags);
  return {
    tool: {
      ...plainMembers(tool, flags),
      ...(typeof tool.title === 'string' ? { title: text(tool.title) } : {}),
      ...(typeof tool.description === 'string' ? { description: text(tool.description) } : {}),
      inputSchema,
      ...(outputSchema ? { outputSchema } : {}),
    },
    flags: [...flags].sort(),
  };
}

/** A definition as clients may see it, with the digest of what the server gave. */
export interface PreparedTool extends SafeTool {
  readonly sha256: string;
  /** Length of what is kept, as JSON. */
  readonly chars: number;
}

const prepared = new WeakMap<RawTool, PreparedTool>();

/** Prepared once for each object that a list brought: the cost grows with the definition, and callers come back to it. */
export function preparedTool(tool: RawTool): PreparedTool {
  const known = prepared.get(tool);
  if (known) return known;
  const safe = safeTool(tool);
  const fresh = { ...safe, sha256: definitionSha256(tool), chars: JSON.stringify(safe.tool).length };
  prepared.set(tool, fresh);
  return fresh;
}

/** Names that cannot be routed or shown: empty, very long, or not well-formed. */
export function isUsableName(name: unknown): name is string {
  return (
    typeof name === 'string' && name !== '' && name.length <= DEFINITION_LIMITS.nameCharsMax && name.isWellFormed()
  );
}

/** SHA-256 over what a definition promises: a change of it is a change that a person may want to see. */
export function definitionSha256({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: RawTool): string {
  return sha256Hex(canonicalJson({ annotations, description, inputSchema, name, outputSchema, title }));
}

/** A tool without its output schema; only its name where the members that have no limit of their own are too large. */
function plainMembers({ outputSchema: _dropped, ...tool }: RawTool, flags: Set<DefinitionFlag>): RawTool {
  const { name, title: _cut, description: _cutToo, inputSchema: _limited, ...others } = tool;
  if (JSON.stringify(others).length <= DEFINITION_LIMITS.otherMembersCharsMax) return tool;
  flags.add('members_dropped');
  return { name };
}

function safeSchema(schema: unknown, flags: Set<DefinitionFlag>): object | undefined {
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  if (isObject && Buffer.byteLength(JSON.stringify(schema)) <= DEFINITION_LIMITS.schemaBytesMax) return schema;
  flags.add('schema_replaced');
  return undefined;
}

/** More of a text than is ever shown, and not half a character or line end at its end: what is cut off may be very long. */
function shownBeginning(text: string): string {
  const unitsMax = 2 * (DEFINITION_LIMITS.descriptionBytesMax + 1);
  return text.length <= unitsMax ? text : text.slice(0, unitsMax).replace(/[\r\ud800-\udbff]$/, '');
}

const UTF8_BYTES_PER_UNIT_MAX = 3;

/** Cuts at a character so that the text and its ellipsis fit. */
function cutText(text: string, bytesMax: number): string {
  if (text.length * UTF8_BYTES_PER_UNIT_MAX <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax - Buffer.byteLength('…');
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}
