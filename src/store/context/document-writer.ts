import { closeSync, linkSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { documentFile } from '../../context/document-files.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { readInto, readPlainBytes } from './read-file.ts';
import { notAsWritten } from './require-written.ts';
import type { ThreadTurn } from './thread-turn.ts';

/** Of one unit of UTF-16. */
const UTF8_BYTES_MAX = 3;

export interface WriterFolders {
  /** The cache that is being built. */
  readonly cache: string;
  /** A cache whose unchanged document files are linked instead of written again. */
  readonly reuse?: string | undefined;
}

export interface NewDocument {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly text: string;
  /** Told where the short file name was taken already. */
  readonly onRepeated: () => void;
}

interface Waiting {
  readonly document: NewDocument;
  readonly bytes: Buffer;
}

/**
 * Writes document files, some at a time. Threads create them in turn: the kernel would have them wait for each other for every
 * file of the one folder, and sleep meanwhile. What is created is filled outside of the turn.
 */
export class DocumentWriter {
  readonly #folders: WriterFolders;
  readonly #turn: ThreadTurn;
  readonly #memory = Buffer.allocUnsafeSlow(CONTEXT_LIMITS.writeBatchBytes);
  readonly #readBack = Buffer.allocUnsafeSlow(CONTEXT_LIMITS.writeBatchBytes);
  #used = 0;
  #waiting: Waiting[] = [];

  /** The turn is shared by all threads that write into this cache. */
  constructor(folders: WriterFolders, turn: ThreadTurn) {
    this.#folders = folders;
    this.#turn = turn;
  }

  /** Takes a document; it is written at the next `flush` at the latest. */
  add(document: NewDocument): void {
    if (this.#waiting.length === CONTEXT_LIMITS.writeBatch) this.flush();
    // Encoding may flush, which replaces the list: the document belongs into the list that is there afterwards.
    const bytes = this.#encode(document.text);
    this.#waiting.push({ document, bytes });
    // A document with memory of its own does not wait: a batch of them would fill the memory of the process.
    if (bytes.buffer !== this.#memory.buffer) this.flush();
  }

  /** Writes what was taken. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#used = 0;
    const files: (number | undefined)[] = [];
    try {
      this.#turn.run(() => {
        for (const { document, bytes } of waiting) files.push(this.#create(document, bytes));
      });
      files.forEach((file, index) => {
        if (file !== undefined) this.#fill(file, waiting[index] as Waiting);
      });
    } finally {
      for (const file of files) if (file !== undefined) closeSync(file);
    }
  }

  /** Writes a document and reads it back: what the disk holds is compared with the text, not with the memory it came from. */
  #fill(file: number, { document, bytes }: Waiting): void {
    writeAll(file, bytes);
    const memory = bytes.length > this.#readBack.length ? Buffer.allocUnsafe(bytes.length) : this.#readBack;
    if (readInto(file, memory.subarray(0, bytes.length)).toString('utf8') !== document.text) {
      throw notAsWritten(`the document of ${document.source}`);
    }
  }

  /** The text in the memory of the batch, or in memory of its own where it might not fit. */
  #encode(text: string): Buffer {
    const bytesMax = text.length * UTF8_BYTES_MAX;
    if (bytesMax > this.#memory.length) return Buffer.from(text);
    if (this.#used + bytesMax > this.#memory.length) this.flush();
    const start = this.#used;
    this.#used += this.#memory.write(text, start);
    return this.#memory.subarray(start, this.#used);
  }

  /** The new file, to be filled; undefined where it was linked and is whole. */
  #create(document: NewDocument, bytes: Buffer): number | undefined {
    const { id, version, source, onRepeated } = document;
    try {
      return this.#open(documentFile(id, version, false), bytes);
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
    }
    onRepeated();
    try {
      return this.#open(documentFile(id, version, true), bytes);
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
      throw new BinderyError('internal_error', { detail: `no file name is left for the source ${source}` });
    }
  }

  #open(file: string, bytes: Buffer): number | undefined {
    const path = `${this.#folders.cache}/${file}`;
    return this.#tryLink(file, path, bytes) ? undefined : openSync(path, 'wx+');
  }

  /** Links the same file of the cache that is being replaced, if its bytes are the same. */
  #tryLink(file: string, path: string, bytes: Buffer): boolean {
    if (this.#folders.reuse === undefined) return false;
    const old = join(this.#folders.reuse, file);
    try {
      if (!readPlainBytes(old)?.equals(bytes)) return false;
      linkSync(old, path);
      return true;
    } catch (thrown) {
      if (errorCode(thrown) === 'EEXIST') throw thrown;
      // Nothing to reuse, or a file system without links: the file is written instead.
      return false;
    }
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
