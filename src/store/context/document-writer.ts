import { closeSync, linkSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { documentFile } from '../../context/document-files.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { readInto, readPlainBytes } from './read-file.ts';
import { notAsWritten } from './require-written.ts';
import type { ThreadMutex } from './thread-mutex.ts';

/** Per UTF-16 unit. */
const UTF8_BYTES_MAX = 3;

export interface WriterFolders {
  /** The cache under construction. */
  readonly cache: string;
  /** A cache whose unchanged document files are linked instead of rewritten. */
  readonly reuse?: string | undefined;
}

export interface NewDocument {
  readonly id: string;
  readonly version: string;
  readonly source: string;
  readonly text: string;
  /** Called if the short file name was already taken. */
  readonly onRepeated: () => void;
}

interface Waiting {
  readonly document: NewDocument;
  readonly bytes: Buffer;
}

/**
 * Writes document files in batches. Threads create files under a mutex, because the kernel would make them wait for each other on every file of
 * the same folder. Files are filled outside of it.
 */
export class DocumentWriter {
  readonly #folders: WriterFolders;
  readonly #mutex: ThreadMutex;
  readonly #memory = Buffer.allocUnsafeSlow(CONTEXT_LIMITS.writeBatchBytes);
  readonly #readBack = Buffer.allocUnsafeSlow(CONTEXT_LIMITS.writeBatchBytes);
  #used = 0;
  #waiting: Waiting[] = [];

  /** All threads that write into this cache share the mutex. */
  constructor(folders: WriterFolders, mutex: ThreadMutex) {
    this.#folders = folders;
    this.#mutex = mutex;
  }

  /** Adds a document; the next `flush` writes it at the latest. */
  add(document: NewDocument): void {
    if (this.#waiting.length === CONTEXT_LIMITS.writeBatch) this.flush();
    // Encoding may flush, which replaces the list, so look up the list afterwards.
    const bytes = this.#encode(document.text);
    this.#waiting.push({ document, bytes });
    // A document with its own buffer is written at once: a batch of them would exhaust the memory.
    if (bytes.buffer !== this.#memory.buffer) this.flush();
  }

  /** Writes the pending documents. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#used = 0;
    const files: (number | undefined)[] = [];
    try {
      this.#mutex.run(() => {
        for (const { document, bytes } of waiting) files.push(this.#create(document, bytes));
      });
      files.forEach((file, index) => {
        if (file !== undefined) this.#fill(file, waiting[index] as Waiting);
      });
    } finally {
      for (const file of files) if (file !== undefined) closeSync(file);
    }
  }

  /** Writes a document and reads it back: compares the disk with the text, not with the buffer it came from. */
  #fill(file: number, { document, bytes }: Waiting): void {
    writeAll(file, bytes);
    const memory = bytes.length > this.#readBack.length ? Buffer.allocUnsafe(bytes.length) : this.#readBack;
    if (readInto(file, memory.subarray(0, bytes.length)).toString('utf8') !== document.text) {
      throw notAsWritten(`the document of ${document.source}`);
    }
  }

  /** Encodes the text into the batch buffer, or into its own buffer if it might not fit. */
  #encode(text: string): Buffer {
    const bytesMax = text.length * UTF8_BYTES_MAX;
    if (bytesMax > this.#memory.length) return Buffer.from(text);
    if (this.#used + bytesMax > this.#memory.length) this.flush();
    const start = this.#used;
    this.#used += this.#memory.write(text, start);
    return this.#memory.subarray(start, this.#used);
  }

  /** The new file to fill; undefined if it was linked and is complete. */
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

  /** Links the same file of the cache to be replaced, if its bytes are equal. */
  #tryLink(file: string, path: string, bytes: Buffer): boolean {
    if (this.#folders.reuse === undefined) return false;
    const old = join(this.#folders.reuse, file);
    try {
      if (!readPlainBytes(old)?.equals(bytes)) return false;
      linkSync(old, path);
      return true;
    } catch (thrown) {
      if (errorCode(thrown) === 'EEXIST') throw thrown;
      // Nothing to reuse, or a file system without links: write the file instead.
      return false;
    }
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
