import { parseJson } from '../contract/json.ts';
import { versionOf } from './hash.ts';
import { hasDuplicateKeys } from './json-keys.ts';
import { decodeUtf8 } from './utf8.ts';

/** A document as stored in its file; the order of the members is part of the format. */
export interface ContextDocument {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** The bytes of a document's file, as text. */
export function encodeDocument(id: string, version: string, source: string, content: string): string {
  return `${headOf(id, version, source)}${JSON.stringify(content)}${TAIL}`;
}

/** Whether a file has the bytes that `encodeDocument` gives for these members, with content that matches the version. */
export function isDocumentFile(bytes: Uint8Array, id: string, version: string, source: string): boolean {
  const text = decodeUtf8(bytes);
  const head = headOf(id, version, source);
  if (!text?.startsWith(head) || !text.endsWith(TAIL)) return false;
  const content = parseJson(text.slice(head.length, -TAIL.length));
  return typeof content === 'string' && versionOf(content) === version;
}

function headOf(id: string, version: string, source: string): string {
  return `{"id":${JSON.stringify(id)},"version":"${version}","source":${JSON.stringify(source)},"content":`;
}

const TAIL = ',"metadata":{}}';

/**
 * Reads a document's file and checks it against the manifest: its id, its version, and content that matches the
 * version. Undefined for anything else.
 */
export function decodeDocument(bytes: Uint8Array, id: string, version: string): ContextDocument | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  const document = parseDocument(text);
  if (!document || document.id !== id || document.version !== version) return undefined;
  if (!document.content.isWellFormed() || versionOf(document.content) !== version) return undefined;
  const canonical = encodeDocument(id, version, document.source, document.content);
  if (canonical !== text && hasDuplicateKeys(text)) return undefined;
  return document;
}

function parseDocument(text: string): ContextDocument | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, version, source, content, metadata } = value as Record<string, unknown>;
  if (typeof id !== 'string' || typeof version !== 'string') return undefined;
  if (typeof source !== 'string' || typeof content !== 'string' || !isMetadata(metadata)) return undefined;
  return { id, version, source, content, metadata };
}

/** Undefined if the text is not JSON. */

function isMetadata(value: unknown): value is Record<string, string | number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((item) => typeof item === 'string' || Number.isInteger(item));
}
