import { visibleText } from '../../contract/visible-text.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import { DEFINITION_LIMITS, type DefinitionFlag } from './definition-limits.ts';
import { wellFormedTool } from './well-formed.ts';

/** Requests that a 2025 server can send to its client; it may show additional tools to clients that support them. */
export const ASKED_CAPABILITIES = ['elicitation', 'sampling', 'roots'] as const;
export type AskedCapability = (typeof ASKED_CAPABILITIES)[number];

/** A tool as the server sent it. */
export interface RawTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A tool as clients may see it: dangerous parts are removed or made visible, and flagged. */
export interface SafeTool {
  readonly tool: RawTool;
  readonly flags: readonly DefinitionFlag[];
}

const OPEN_SCHEMA = { type: 'object', additionalProperties: true };
const ADDRESSES_MODEL =
  /\b(?:ignore|disregard|forget)\b[^.]{0,40}\b(?:previous|prior|above|other|all)\b[^.]{0,30}\b(?:instruction|rule|tool|prompt)|\bdo not (?:tell|inform|mention|reveal)[^.]{0,30}\buser\b|<\s*(?:important|system|instructions?)\s*>|\byou (?:must|should) (?:always|first) (?:call|use|read|send)\b/i;

/** Applies the limits and repairs the form of a definition. Unusable names are rejected by `isUsableName`, not here. */
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

/** A definition as clients may see it, with the digest of the original. */
export interface PreparedTool extends SafeTool {
  readonly sha256: string;
  /** Length of the kept definition, as JSON. */
  readonly chars: number;
}

const prepared = new WeakMap<RawTool, PreparedTool>();

/** Cached per object, because the cost grows with the definition and callers repeat it. */
export function preparedTool(tool: RawTool): PreparedTool {
  const known = prepared.get(tool);
  if (known) return known;
  const safe = safeTool(tool);
  const fresh = { ...safe, sha256: definitionSha256(tool), chars: JSON.stringify(safe.tool).length };
  prepared.set(tool, fresh);
  return fresh;
}

/** Rejects names that cannot be routed or shown: empty, very long, or malformed. */
export function isUsableName(name: unknown): name is string {
  return (
    typeof name === 'string' && name !== '' && name.length <= DEFINITION_LIMITS.nameCharsMax && name.isWellFormed()
  );
}

/** SHA-256 over the parts of a definition that a person reviews. */
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

/** A tool without its output schema; only its name if the members without a limit of their own are too large. */
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

/** A prefix that is longer than what is shown, and that does not split a character or line end: the original may be very long. */
function shownBeginning(text: string): string {
  const unitsMax = 2 * (DEFINITION_LIMITS.descriptionBytesMax + 1);
  return text.length <= unitsMax ? text : text.slice(0, unitsMax).replace(/[\r\ud800-\udbff]$/, '');
}

const UTF8_BYTES_PER_UNIT_MAX = 3;

/** Truncates between characters so that the text with its ellipsis fits. */
function cutText(text: string, bytesMax: number): string {
  if (text.length * UTF8_BYTES_PER_UNIT_MAX <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax - Buffer.byteLength('…');
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}
