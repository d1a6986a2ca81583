import { isUtf8 } from 'node:buffer';
import { closeSync, linkSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join, sep } from 'node:path';
import { encodeDocument } from '../../context/document.ts';
import { documentFile } from '../../context/document-files.ts';
import { sha256Hex, versionOf } from '../../context/hash.ts';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { READ_PLAIN, readPlainBytes } from './read-file.ts';
import { type CountedRun, TermCounter } from './term-counter.ts';
import type { SourceFile } from './walk-sources.ts';

/** Enough for nearly every source. */
const MEMORY_BYTES = 256 * 1024;
/** Of one unit of UTF-16. */
const UTF8_BYTES_MAX = 3;

export interface IngestFolders {
  readonly sources: string;
  /** The cache that is being built. */
  readonly cache: string;
  /** A cache whose unchanged document files are linked instead of written again. */
  readonly reuse?: string | undefined;
}

/** What a run of sources adds to the cache, apart from its document files, which are already written. */
export interface Ingested {
  /** 64 hex digits per document. */
  readonly versions: readonly string[];
  /** 1 where the short file name was taken already. */
  readonly repeated: Uint8Array;
  readonly counted: CountedRun;
}

/** Reads sources, writes their document files and counts their words. One vocabulary serves many runs. */
export class SourceIngest {
  readonly #folders: IngestFolders;
  readonly #counter = new TermCounter();
  readonly #reader = new SourceReader();
  readonly #kept = new SourceReader(READ_PLAIN);
  readonly #writer = new DocumentWriter();

  constructor(folders: IngestFolders) {
    this.#folders = folders;
  }

  /** Whether a cache holds exactly these sources as these document files. */
  matches(files: readonly SourceFile[], documentFiles: readonly string[]): boolean {
    return files.every(({ id, source }, index) => {
      const bytes = this.#reader.read(this.#folders.sources + sep + source);
      if (!isUtf8(bytes)) return false;
      const document = encodeDocument(id, versionOf(bytes), source, bytes.toString('utf8'));
      const kept = this.#kept.read(`${this.#folders.cache}/${documentFiles[index]}`);
      return this.#writer.encode(document).equals(kept);
    });
  }

  run(files: readonly SourceFile[]): Ingested {
    const versions: string[] = [];
    const repeated = new Uint8Array(files.length);
    files.forEach((file, index) => {
      const bytes = this.#reader.read(this.#folders.sources + sep + file.source);
      if (!isUtf8(bytes)) {
        throw new BinderyError('internal_error', { detail: `the source ${file.source} is not valid UTF-8` });
      }
      const content = bytes.toString('utf8');
      const digest = sha256Hex(bytes);
      versions.push(digest);
      repeated[index] = this.#writeDocument(file, `sha256:${digest}`, content) ? 1 : 0;
      this.#counter.add(content, bytes);
    });
    return { versions, repeated, counted: this.#counter.take() };
  }

  /** True where the short name belongs to a document that was written before. */
  #writeDocument({ id, source }: SourceFile, version: string, content: string): boolean {
    const bytes = this.#writer.encode(encodeDocument(id, version, source, content));
    if (this.#tryWrite(documentFile(id, version, false), bytes)) return false;
    if (this.#tryWrite(documentFile(id, version, true), bytes)) return true;
    throw new BinderyError('internal_error', { detail: `no file name is left for the source ${source}` });
  }

  /** False where the name is taken. */
  #tryWrite(file: string, bytes: Buffer): boolean {
    const path = `${this.#folders.cache}/${file}`;
    try {
      if (!this.#tryLink(file, path, bytes)) writeNew(path, bytes);
      return true;
    } catch (thrown) {
      if (errorCode(thrown) === 'EEXIST') return false;
      throw thrown;
    }
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

/** Reads small files into the same memory again and again: what it gives is only good until the next call. */
class SourceReader {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  readonly #flags: string | number;

  constructor(flags: string | number = 'r') {
    this.#flags = flags;
  }

  read(path: string): Buffer {
    const file = openSync(path, this.#flags);
    try {
      const length = readSync(file, this.#memory, 0, this.#memory.length, 0);
      return length < this.#memory.length ? this.#memory.subarray(0, length) : readFileSync(file);
    } finally {
      closeSync(file);
    }
  }
}

/** Encodes small texts into the same memory again and again: what it gives is only good until the next call. */
class DocumentWriter {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);

  encode(text: string): Buffer {
    if (text.length * UTF8_BYTES_MAX > MEMORY_BYTES) return Buffer.from(text);
    return this.#memory.subarray(0, this.#memory.write(text));
  }
}

/** Writes a file that must not exist yet. */
function writeNew(path: string, bytes: Buffer): void {
  const file = openSync(path, 'wx');
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
}
