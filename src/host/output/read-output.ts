import { BinderyError } from '../../contract/errors.ts';
import { cutAtLine } from './cut-text.ts';
import type { OutputStore } from './output-store.ts';

export const OUTPUT_TOOL = 'mcp_output_read';

export interface LimitedText {
  readonly text: string;
  /** Set where the text was cut: the whole is kept under it. */
  readonly reference: string | undefined;
}

/** Cuts a text that is too long, keeps the whole, and says in the text how to read on. */
export async function limitOutput(text: string, bytesMax: number, store: OutputStore): Promise<LimitedText> {
  const { shown, nextOffset, totalBytes } = cutAtLine(text, bytesMax);
  if (nextOffset === totalBytes) return { text, reference: undefined };
  const reference = await store.put(text);
  const note = `[cut: ${nextOffset} of ${totalBytes} bytes are shown; ref=${reference}; read on with ${OUTPUT_TOOL} {"ref":"${reference}","offset":${nextOffset}}]`;
  return { text: `${shown}${shown.endsWith('\n') ? '' : '\n'}${note}`, reference };
}

export interface OutputQuery {
  readonly ref: string;
  /** Byte to begin at. */
  readonly offset?: number;
  /** Only lines that contain this text, each with its offset. */
  readonly find?: string;
}

/** Reads a kept output from an offset, or the lines of it that contain a text. */
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
