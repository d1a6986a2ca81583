import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { sep } from 'node:path';
import { encodeDocument, isDocumentFile } from '../../context/document.ts';
import { documentFile } from '../../context/document-files.ts';
import { DIGEST_DIGITS, sha256Hex, versionOf, versionOfDigest } from '../../context/hash.ts';
import { htmlToMarkdown } from '../../context/html-to-markdown.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { sourceFormat } from '../../context/source-formats.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { DocumentWriter, type WriterFolders } from './document-writer.ts';
import { errorCode, isAbsent, unreadable } from './file-errors.ts';
import { READ_PLAIN, readInto } from './read-file.ts';
import { SearchCounter, type SearchRun } from './search-counter.ts';
import { type CountedRun, TermCounter } from './term-counter.ts';
import type { ThreadMutex } from './thread-mutex.ts';
import { notUtf8, type SourceFile } from './walk-sources.ts';

/** Enough for nearly every source. */
const MEMORY_BYTES = 256 * 1024;

export interface IngestFolders extends WriterFolders {
  readonly sources: string;
}

/** Identifies the document files of a run. */
export interface WrittenRun {
  /** 64 hex digits per document, concatenated: one text crosses threads several times faster than many. */
  readonly versions: string;
  /** 1 if the short file name was already taken. */
  readonly repeated: Uint8Array;
}

/** What a run adds to the cache, besides its document files, which are already written. */
export interface Ingested extends WrittenRun {
  readonly counted: CountedRun;
  readonly search: SearchRun;
}

/** Reads sources, writes their document files and counts their words. One vocabulary serves many runs. */
export class SourceIngest {
  readonly #folders: IngestFolders;
  readonly #counter = new TermCounter();
  readonly #search = new SearchCounter();
  readonly #reader: SourceReader;
  readonly #kept = new SourceReader();
  readonly #writer: DocumentWriter;

  constructor(folders: IngestFolders, mutex: ThreadMutex) {
    this.#folders = folders;
    this.#reader = new SourceReader(folders.sources);
    this.#writer = new DocumentWriter(folders, mutex);
  }

  /** Whether the reusable cache contains exactly these sources in these document files. */
  matches(files: readonly SourceFile[], documentFiles: readonly string[]): boolean {
    return files.every(({ id, source }, index) => {
      const bytes = this.#reader.read(this.#folders.sources + sep + source);
      if (!isUtf8(bytes)) return false;
      const { content, contentBytes } = contentOf(source, bytes);
      const document = encodeDocument(id, versionOf(contentBytes), source, content);
      const kept = this.#kept.read(`${this.#folders.reuse}/${documentFiles[index]}`);
      return Buffer.from(document).equals(kept);
    });
  }

  /** Reads the document files of these sources back; returns the first wrong one. */
  firstWrong(files: readonly SourceFile[], { versions, repeated }: WrittenRun): string | undefined {
    for (const [index, { id, source }] of files.entries()) {
      const version = versionAt(versions, index);
      const file = documentFile(id, version, repeated[index] === 1);
      const bytes = this.#readWritten(file);
      if (!bytes || !isDocumentFile(bytes, id, version, source)) return file;
    }
    return undefined;
  }

  run(files: readonly SourceFile[]): Ingested {
    let versions = '';
    const repeated = new Uint8Array(files.length);
    files.forEach((file, index) => {
      const bytes = this.#readSource(file.source);
      if (!isUtf8(bytes)) throw notUtf8(`the source ${file.source}`);
      const { content, contentBytes } = contentOf(file.source, bytes);
      const digest = sha256Hex(contentBytes);
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
      const terms = this.#counter.add(content, contentBytes);
      this.#search.add(file.id, content, contentBytes, terms);
    });
    this.#writer.flush();
    return { versions, repeated, counted: this.#counter.take(), search: this.#search.take() };
  }

  #readSource(source: string): Buffer {
    try {
      return this.#reader.read(this.#folders.sources + sep + source);
    } catch (thrown) {
      throw unreadable(`the source ${source}`, thrown);
    }
  }

  /** Undefined if there is no file. */
  #readWritten(file: string): Buffer | undefined {
    try {
      return this.#kept.read(`${this.#folders.cache}/${file}`);
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw thrown;
    }
  }
}

/** The content of a source's document: the source itself, or the Markdown of an HTML page. */
function contentOf(source: string, bytes: Buffer): { content: string; contentBytes: Uint8Array } {
  const text = bytes.toString('utf8');
  if (sourceFormat(source.slice(source.lastIndexOf(sep) + 1)) !== 'html') return { content: text, contentBytes: bytes };
  const content = htmlToMarkdown(text);
  return { content, contentBytes: Buffer.from(content) };
}

/** Whether the source is UTF-8, for builds that skip invalid ones. */
export function isUtf8Source(sources: string, source: string): boolean {
  try {
    return isUtf8(new SourceReader(sources).read(sources + sep + source));
  } catch (thrown) {
    throw unreadable(`the source ${source}`, thrown);
  }
}

/** The version of one document of a run. */
export function versionAt(versions: string, index: number): string {
  return versionOfDigest(versions.slice(index * DIGEST_DIGITS, (index + 1) * DIGEST_DIGITS));
}

/** Reads small files into a reused buffer: a result is valid only until the next call. */
class SourceReader {
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  readonly #within: string | undefined;

  /** Follows links only inside this folder; without a folder, never. */
  constructor(within?: string) {
    this.#within = within;
  }

  read(path: string): Buffer {
    const file = this.#openPlain(path);
    if (file === undefined) return this.#readLarge(path);
    try {
      const stats = fstatSync(file);
      const bytes = stats.isFile() ? readInto(file, this.#memory, stats.size) : this.#memory;
      return bytes.length < this.#memory.length ? bytes : this.#readLarge(path);
    } finally {
      closeSync(file);
    }
  }

  /** Undefined for a link. */
  #openPlain(path: string): number | undefined {
    try {
      return openSync(path, READ_PLAIN);
    } catch (thrown) {
      if (this.#within === undefined || errorCode(thrown) !== 'ELOOP') throw thrown;
      return undefined;
    }
  }

  #readLarge(path: string): Buffer {
    const bytesMax = CONTEXT_LIMITS.sourceBytesMax;
    const bytes = readSuppliedFileSync({ path, within: this.#within, bytesMax });
    if (bytes === undefined) throw new BinderyError('io_error', { detail: 'a source vanished while it was read' });
    return bytes;
  }
}
