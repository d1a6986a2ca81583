import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { sep } from 'node:path';
import { encodeDocument } from '../../context/document.ts';
import { sha256Hex, versionOf, versionOfDigest } from '../../context/hash.ts';
import { BinderyError } from '../../contract/errors.ts';
import { DocumentWriter, type WriterFolders } from './document-writer.ts';
import { READ_PLAIN } from './read-file.ts';
import { type CountedRun, TermCounter } from './term-counter.ts';
import type { ThreadTurn } from './thread-turn.ts';
import type { SourceFile } from './walk-sources.ts';

/** Enough for nearly every source. */
const MEMORY_BYTES = 256 * 1024;
export interface IngestFolders extends WriterFolders {
  readonly sources: string;
}

/** What a run of sources adds to the cache, apart from its document files, which are already written. */
export interface Ingested {
  /** 64 hex digits per document, end to end: one text crosses threads several times as fast as many. */
  readonly versions: string;
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
  readonly #writer: DocumentWriter;

  constructor(folders: IngestFolders, turn: ThreadTurn) {
    this.#folders = folders;
    this.#writer = new DocumentWriter(folders, turn);
  }

  /** Whether the cache that may be reused holds exactly these sources as these document files. */
  matches(files: readonly SourceFile[], documentFiles: readonly string[]): boolean {
    return files.every(({ id, source }, index) => {
      const bytes = this.#reader.read(this.#folders.sources + sep + source);
      if (!isUtf8(bytes)) return false;
      const document = encodeDocument(id, versionOf(bytes), source, bytes.toString('utf8'));
      const kept = this.#kept.read(`${this.#folders.reuse}/${documentFiles[index]}`);
      return Buffer.from(document).equals(kept);
    });
  }

  run(files: readonly SourceFile[]): Ingested {
    let versions = '';
    const repeated = new Uint8Array(files.length);
    files.forEach((file, index) => {
      const bytes = this.#reader.read(this.#folders.sources + sep + file.source);
      if (!isUtf8(bytes)) {
        throw new BinderyError('internal_error', { detail: `the source ${file.source} is not valid UTF-8` });
      }
      const content = bytes.toString('utf8');
      const digest = sha256Hex(bytes);
      const version = versionOfDigest(digest);
      versions += digest;
      this.#writer.add({
        id: file.id,
        version,
        source: file.source,
        text: encodeDocument(file.id, version, file.source, content),
        onRepeated() {
          repeated[index] = 1;
        },
      });
      this.#counter.add(content, bytes);
    });
    this.#writer.flush();
    return { versions, repeated, counted: this.#counter.take() };
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
