import type { DocumentTable } from './document-table.ts';
import { decodeUtf8 } from './utf8.ts';

export const INDEX_FILE = 'index.json';

/** The bytes of the index, as text: id → file, in id order. */
export function encodeIndex(table: DocumentTable): string {
  const lines: string[] = [];
  for (let index = 0; index < table.count; index++) {
    const { id, file } = table.entry(index);
    lines.push(`  ${JSON.stringify(id)}: "${file}"`);
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
}

/** Whether an index (in the present or in the old form with `entries`) lists exactly the documents of the manifest. */
export function indexLists(bytes: Uint8Array, table: DocumentTable): boolean {
  const text = decodeUtf8(bytes);
  if (text === undefined) return false;
  if (text === encodeIndex(table)) return true;
  const files = parseIndex(text);
  if (!files || Object.keys(files).length !== table.count) return false;
  for (let index = 0; index < table.count; index++) {
    const id = table.id(index);
    if (!Object.hasOwn(files, id) || files[id] !== table.file(index)) return false;
  }
  return true;
}

function parseIndex(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    return typeof value.entries === 'object' && value.entries !== null ? value.entries : value;
  } catch {
    return undefined;
  }
}
