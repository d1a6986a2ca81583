import { BinderyError } from '../../contract/errors.ts';
import { cutAtLine } from './cut-text.ts';
import type { OutputStore } from './output-store.ts';

export const OUTPUT_TOOL = 'mcp_output_read';

export interface LimitedText {
  readonly text: string;
  /** Set if the text was truncated: the reference to the full text. */
  readonly reference: string | undefined;
}

/** Truncates a text that is too long, stores the full text, and appends how to read the rest. */
export async function limitOutput(text: string, bytesMax: number, store: OutputStore): Promise<LimitedText> {
  const { shown, nextOffset, totalBytes } = cutAtLine(text, bytesMax);
  if (nextOffset === totalBytes) return { text, reference: undefined };
  const reference = await store.put(text);
  const note = `[cut: ${nextOffset} of ${totalBytes} bytes are shown; ref=${reference}; read on with ${OUTPUT_TOOL} {"ref":"${reference}","offset":${nextOffset}}]`;
  return { text: `${shown}${shown.endsWith('\n') ? '' : '\n'}${note}`, reference };
}

export interface OutputQuery {
  readonly ref: string;
  /** Byte to start at. */
  readonly offset?: number;
  /** Only lines that contain this text, each with its offset. */
  readonly find?: string;
}

/** Reads a stored output from an offset, or its lines that contain a text. */
export async function readOutput(query: OutputQuery, bytesMax: number, store: OutputStore): Promise<string> {
  const whole = await store.get(query.ref);
  if (whole === undefined)
    throw new BinderyError('OUTPUT_NOT_FOUND', { detail: 'the reference is unknown or too old' });
  const bytes = Buffer.from(whole);
  const start = Math.min(query.offset ?? 0, bytes.length);
  const rest = bytes.subarray(start).toString('utf8');
  if (query.find !== undefined) return findLines(rest, start, query.find, bytesMax);
  const { shown, nextOffset, totalBytes } = cutAtLine(rest, bytesMax);
  if (nextOffset === totalBytes) return shown;
  return `${shown}${shown.endsWith('\n') ? '' : '\n'}[more: next offset ${start + nextOffset} of ${bytes.length}]`;
}

function findLines(text: string, start: number, find: string, bytesMax: number): string {
  const found: string[] = [];
  let offset = start;
  let used = 0;
  for (const line of text.split('\n')) {
    if (line.includes(find)) {
      const shown = `${offset}: ${cutAtLine(line, 1_000).shown}`;
      used += Buffer.byteLength(shown) + 1;
      if (used > bytesMax) return `${found.join('\n')}\n[more: next offset ${offset}]`;
      found.push(shown);
    }
    offset += Buffer.byteLength(line) + 1;
  }
  return found.length === 0 ? 'no line contains this text' : found.join('\n');
}
