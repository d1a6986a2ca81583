import { CORPUS_LIMITS } from '../config.ts';
import { readYaml } from '../corpus/read-yaml.ts';
import { ProviderFile } from './directory.ts';
import { type FirewallContext, type FirewallFinding, firewallFindings } from './firewall.ts';

export interface DirectoryResult {
  readonly file: ProviderFile | undefined;
  /** Why the directory is rejected; empty if it is not. */
  readonly faults: readonly string[];
}

/** Parses a provider directory and applies the editorial firewall. */
export async function readDirectory(text: string, context: FirewallContext): Promise<DirectoryResult> {
  if (text.length > CORPUS_LIMITS.providersCharsMax) return { file: undefined, faults: ['the file is too large'] };
  const yaml = readYaml(text.replaceAll('\r\n', '\n'));
  if (!yaml.ok) return { file: undefined, faults: [yaml.message] };
  const parsed = ProviderFile.safeParse(yaml.value);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, 20).map((issue) => `/${issue.path.join('/')}: ${issue.message}`);
    return { file: undefined, faults };
  }
  const findings = await firewallFindings(parsed.data, context);
  const faults = [...structureFaults(parsed.data), ...findings.map(sentence)];
  return { file: faults.length === 0 ? parsed.data : undefined, faults };
}

function structureFaults({ categories, providers }: ProviderFile): string[] {
  const known = new Set(categories.map((category) => category.id));
  return [
    ...repeated(categories.map((category) => category.id)).map((id) => `category "${id}" is there twice`),
    ...repeated(providers.map((provider) => provider.id)).map((id) => `provider "${id}" is there twice`),
    ...providers
      .filter((provider) => !known.has(provider.category))
      .map((provider) => `provider "${provider.id}" names the category "${provider.category}", which does not exist`),
  ];
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

function sentence({ rule, message }: FirewallFinding): string {
  return `rule ${rule} of the editorial firewall: ${message}`;
}
