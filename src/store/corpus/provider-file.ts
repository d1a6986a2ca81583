import { readFileSync, statSync } from 'node:fs';
import { matchNames, type NameMatcher, noNames } from '../../civic/corpus/provider-names.ts';
import type { ProviderFile } from '../../civic/providers/directory.ts';
import { type DirectoryContext, type DirectoryResult, readDirectory } from '../../civic/providers/read-directory.ts';
import { BinderyError } from '../../contract/errors.ts';

/** The provider directory in a file, apart from the corpus. */
export class ProviderDirectoryFile {
  readonly #path: string | undefined;
  #stamp = '';
  #file: ProviderFile | undefined;
  #names: NameMatcher = noNames;
  #categories: ReadonlySet<string> | undefined;
  #fault: BinderyError | undefined;

  /** Without a path there are no categories. */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  get file(): ProviderFile | undefined {
    return this.#file;
  }

  /** Finds names of the directory, eligible or not. */
  get names(): NameMatcher {
    return this.#names;
  }

  get categories(): ReadonlySet<string> | undefined {
    return this.#categories;
  }

  /** Reads the file where it changed; throws where it breaks a rule, and what was read before stays. */
  async refresh(context: DirectoryContext): Promise<void> {
    if (this.#path === undefined) return;
    const text = this.#changedText(this.#path);
    if (text !== undefined) this.#take(await readDirectory(text, context));
    if (this.#fault) throw this.#fault;
  }

  #take({ file, faults }: DirectoryResult): void {
    this.#fault = file ? undefined : new BinderyError('providers_invalid', { detail: faults.slice(0, 5).join('; ') });
    if (!file) return;
    this.#file = file;
    this.#names = matchNames(file.providers.map((provider) => provider.name));
    this.#categories = new Set(file.categories.map((category) => category.id));
  }

  #changedText(path: string): string | undefined {
    try {
      const stats = statSync(path);
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
      if (stamp === this.#stamp) return undefined;
      this.#stamp = stamp;
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw new BinderyError('providers_invalid', { detail: 'the file cannot be read', cause });
    }
  }
}
