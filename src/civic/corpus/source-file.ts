import { createHash } from 'node:crypto';
import { CORPUS_LIMITS } from '../config.ts';

/** A corpus file as read. */
export interface SourceFile {
  /** Path inside the corpus, with `/`. */
  readonly path: string;
  /** Hash of the bytes with LF line ends. */
  readonly sha256: string;
  /** With LF line ends; undefined if the file is too large or not UTF-8. */
  readonly text: string | undefined;
  readonly fault?: 'file_too_large' | 'not_utf8';
}

const FILES = /^(?:skills\/[^/]+\/canonical\.md|paths\/[^/]+\.yaml|catalogue\/(?:values|references|hosts)\.yaml)$/;

/** Whether a path inside the folder belongs to the corpus; other files are ignored. */
export function isCorpusPath(path: string): boolean {
  return FILES.test(path);
}

/** Converts the bytes of a file for the builder. */
export function toSourceFile(path: string, bytes: Uint8Array): SourceFile {
  if (bytes.byteLength > CORPUS_LIMITS.fileBytesMax) return tooLargeFile(path, bytes.byteLength);
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const text = decoded.includes('\r') ? decoded.replaceAll('\r\n', '\n') : decoded;
    return { path, sha256: sha256Hex(text), text };
  } catch {
    return { path, sha256: sha256Hex(bytes), text: undefined, fault: 'not_utf8' };
  }
}

/** A file that is not read because of its size. */
export function tooLargeFile(path: string, size: number): SourceFile {
  return { path, sha256: sha256Hex(`too large ${size}`), text: undefined, fault: 'file_too_large' };
}

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
