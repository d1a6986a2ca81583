import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../contract/json.ts';

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: string;
    }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name?: string; readonly mimeType?: string };

/** The result of a tool call. A failed call is a result too. */
export interface ToolResult {
  readonly isError: boolean;
  /** All parts as text; binary parts are only described. */
  readonly text: string;
  /** The original parts, without duplicates. */
  readonly parts: readonly ResultPart[];
  /** The server's structured content, if any. */
  readonly structured?: unknown;
  /** Set if the text was truncated: the reference to the full text. */
  readonly reference?: string;
}

export const EMPTY_RESULT_TEXT = '(the tool returned nothing)';

/** Maps the result of `tools/call` without losing or repeating content. */
export function toToolResult(result: JsonObject): ToolResult {
  const items = Array.isArray(result.content) ? result.content : [];
  const parts = withoutRepetitions(items.map(toPart));
  const structured = result.structuredContent;
  const isNew = structured !== undefined && !parts.some((part) => saysTheSame(part, structured));
  const all = isNew ? [...parts, { type: 'text' as const, text: structuredText(structured, parts) }] : parts;
  return {
    isError: result.isError === true,
    text: textOf(all),
    parts: all,
    ...(structured === undefined ? {} : { structured }),
  };
}

/** A result with the reason of a failure. */
export function errorResult(text: string): ToolResult {
  return { isError: true, text, parts: [{ type: 'text', text }] };
}

/** A text-only result. */
export function textResult(text: string): ToolResult {
  return { isError: false, text, parts: [{ type: 'text', text }] };
}

export function textOf(parts: readonly ResultPart[]): string {
  return parts.map(describePart).join('\n') || EMPTY_RESULT_TEXT;
}

/** Describes a part as text. */
export function describePart(part: ResultPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type} ${part.mimeType}, ${decodedBytes(part.data)} bytes]`;
    case 'resource':
      if (part.text !== undefined) return part.text;
      return `[resource ${part.uri}${part.mimeType ? ` ${part.mimeType}` : ''}, ${decodedBytes(part.blob ?? '')} bytes]`;
    case 'resource_link':
      return `[resource ${part.name ? `${part.name}: ` : ''}${part.uri}]`;
  }
}

function toPart(item: unknown): ResultPart {
  if (!isObject(item)) return { type: 'text', text: JSON.stringify(item) ?? '' };
  if (item.type === 'text' && typeof item.text === 'string') return { type: 'text', text: item.text };
  if ((item.type === 'image' || item.type === 'audio') && typeof item.data === 'string') {
    return { type: item.type, data: item.data, mimeType: textOr(item.mimeType, 'application/octet-stream') };
  }
  if (item.type === 'resource' && isObject(item.resource) && typeof item.resource.uri === 'string') {
    const { uri, mimeType, text, blob } = item.resource;
    return { type: 'resource', uri, ...onlyTexts({ mimeType, text, blob }) };
  }
  if (item.type === 'resource_link' && typeof item.uri === 'string') {
    return { type: 'resource_link', uri: item.uri, ...onlyTexts({ name: item.name, mimeType: item.mimeType }) };
  }
  return { type: 'text', text: JSON.stringify(item) };
}

/** Removes duplicate binary parts; keeps repeated texts, because a tool may intend them. */
function withoutRepetitions(parts: readonly ResultPart[]): ResultPart[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const data = binaryOf(part);
    if (data === undefined) return true;
    if (seen.has(data)) return false;
    seen.add(data);
    return true;
  });
}

/** Servers repeat structured content as text: all of it, or its only member. */
function saysTheSame(part: ResultPart, structured: unknown): boolean {
  if (part.type !== 'text') return false;
  const members = isObject(structured) ? Object.values(structured) : [];
  const only = members.length === 1 ? members[0] : undefined;
  if (part.text === structured || part.text === only) return true;
  try {
    const parsed: unknown = JSON.parse(part.text);
    return isDeepStrictEqual(parsed, structured) || (only !== undefined && isDeepStrictEqual(parsed, only));
  } catch {
    return false;
  }
}

/** The JSON of structured content, without data that is already in the parts. */
function structuredText(structured: unknown, parts: readonly ResultPart[]): string {
  const binary = new Map(
    parts.flatMap((part) => {
      const data = binaryOf(part);
      return data === undefined ? [] : [[data, describePart(part)] as const];
    }),
  );
  const replace = (_: string, value: unknown) => (typeof value === 'string' ? (binary.get(value) ?? value) : value);
  return JSON.stringify(structured, replace) ?? '';
}

function binaryOf(part: ResultPart): string | undefined {
  if (part.type === 'image' || part.type === 'audio') return part.data;
  return part.type === 'resource' ? part.blob : undefined;
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function onlyTexts<K extends string>(values: Readonly<Record<K, unknown>>): { [N in K]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string')) as {
    [N in K]?: string;
  };
}
