import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CORPUS_LIMITS } from '../../civic/config.ts';
import { matchNames, type NameMatcher, noNames } from '../../civic/corpus/provider-names.ts';
import { readYaml } from '../../civic/corpus/read-yaml.ts';
import type { ProviderFile } from '../../civic/providers/directory.ts';
import type { FirewallContext } from '../../civic/providers/firewall.ts';
import { type DirectoryResult, readDirectory } from '../../civic/providers/read-directory.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';

/** A character takes at most four bytes; characters are counted after reading. */
const PROVIDERS_BYTES_MAX = 4 * CORPUS_LIMITS.providersCharsMax;

/** The provider directory file, separate from the corpus. */
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

  /** Finds provider names, eligible or not. */
  get names(): NameMatcher {
    return this.#names;
  }

  get categories(): ReadonlySet<string> | undefined {
    return this.#categories;
  }

  /** Reloads the directory if it or an API description changed. Throws if it breaks a rule; the previous directory then stays. */
  async refresh(context: Omit<FirewallContext, 'readApiSpec'>): Promise<void> {
    if (this.#path === undefined) return;
    const text = this.#changedText(this.#path);
    if (text !== undefined) {
      const folder = dirname(this.#path);
      const readApiSpec = (spec: string) => readSpec(this.#besideDirectory(spec), folder);
      this.#take(await readDirectory(text, { ...context, readApiSpec }));
    }
    if (this.#fault) throw this.#fault;
  }

  #take({ file, faults }: DirectoryResult): void {
    this.#fault = file ? undefined : new BinderyError('providers_invalid', { detail: faults.slice(0, 5).join('; ') });
    if (!file) return;
    this.#file = file;
    this.#names = matchNames(file.providers.map(({ name, api_spec_url }) => ({ name, hosts: hostsOf(api_spec_url) })));
    this.#categories = new Set(file.categories.map((category) => category.id));
    this.#stamp = this.#currentStamp();
  }

  #changedText(path: string): string | undefined {
    try {
      const stamp = this.#currentStamp();
      if (stamp === this.#stamp) return undefined;
      this.#stamp = stamp;
      const bytes = readSuppliedFileSync({ path, bytesMax: PROVIDERS_BYTES_MAX });
      if (bytes === undefined) throw new BinderyError('providers_invalid', { detail: 'the file is gone' });
      return bytes.toString('utf8');
    } catch (cause) {
      if (cause instanceof BinderyError && cause.code === 'providers_invalid') throw cause;
      const reason = refusalReason(cause);
      const detail = `the file cannot be read${reason === undefined ? '' : `: ${reason}`}`;
      throw new BinderyError('providers_invalid', { detail, cause });
    }
  }

  #currentStamp(): string {
    const specs = (this.#file?.providers ?? []).flatMap(({ api_spec_file: spec }) =>
      spec === undefined ? [] : [stampOf(this.#besideDirectory(spec)) ?? 'gone'],
    );
    return [stampText(statSync(this.#path as string)), ...specs].join('\n');
  }

  #besideDirectory(spec: string): string {
    return join(dirname(this.#path as string), spec);
  }
}

/** The host of an API, and its parent domain if only a common label precedes it. */
function hostsOf(url: string): string[] {
  const { hostname } = new URL(url);
  return [hostname, hostname.replace(/^(?:www|apis?|dev|developers?|docs|portal)\.(?=[^.]+\.)/, '')];
}

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && stampText(stats);
}

function stampText({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** A parsed JSON or YAML API description next to the directory; undefined if missing or neither. */
function readSpec(path: string, within: string): unknown {
  let text: string | undefined;
  try {
    text = readSuppliedFileSync({ path, within, bytesMax: PROVIDERS_BYTES_MAX })?.toString('utf8');
  } catch (thrown) {
    if (refusalReason(thrown) === undefined) throw thrown;
  }
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const yaml = readYaml(text.replaceAll('\r\n', '\n'));
    return yaml.ok ? yaml.value : undefined;
  }
}
