import type { ServerEntry } from './server-entry.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Expanded = { readonly entry: ServerEntry } | { readonly reason: string };

const EXPANDED_KEYS = ['command', 'args', 'cwd', 'env', 'url', 'headers', 'oauth'] as const;

/** Replaces `${VAR}` and `${VAR:-x}` if the entry has `expand_env`; an unset variable is an error of the server, never an empty string. */
export function expandEnv(entry: ServerEntry, env: Environment): Expanded {
  if (entry.expand_env !== true) return { entry };
  const unset = new Set<string>();
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') return expandText(value, env, unset);
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]));
  };
  const expanded = { ...entry };
  for (const key of EXPANDED_KEYS) {
    if (entry[key] !== undefined) Object.assign(expanded, { [key]: expand(entry[key]) });
  }
  if (unset.size === 0) return { entry: expanded };
  const names = [...unset].join(', ');
  return {
    reason: `${unset.size === 1 ? 'the variable' : 'the variables'} ${names} ${unset.size === 1 ? 'is' : 'are'} not set`,
  };
}

function expandText(text: string, env: Environment, unset: Set<string>): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name];
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value === undefined) unset.add(name);
    return value ?? '';
  });
}
