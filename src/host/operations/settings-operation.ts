import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import { tabLines } from '../../contract/paging.ts';
import type { HostDeps } from './deps.ts';

/** The dependencies of explaining settings. */
export type SettingsDeps = Pick<HostDeps, 'settings' | 'config'> & {
  /** Flags of the answering gateway, by their names on the command line. */
  flags?(): Readonly<Record<string, unknown>>;
};

const SetBy = z.enum(['person', 'project_narrows', 'project_untrusted']);
const Source = z.enum(['default', 'person', 'project', 'both', 'flag']);
const Explained = z.object({
  key: z.string(),
  value: z.unknown(),
  source: Source,
  file: z.string().nullable(),
  set_by: SetBy,
  default: z.unknown(),
  flag: z.string().nullable(),
  summary: z.string(),
  notes: z.array(z.string()),
});
type Explained = z.output<typeof Explained>;

const FROM: Readonly<Record<z.output<typeof Source>, string>> = {
  default: 'default',
  person: 'your config',
  project: "the project's config",
  both: 'both configs',
  flag: 'flag',
};
const MAY_SET: Readonly<Record<z.output<typeof SetBy>, string>> = {
  person: 'you',
  project_narrows: 'you; a project narrows it',
  project_untrusted: 'you; a project, once you trust it',
};
const flag = (name: string) => z.string().optional().describe(`as if \`bindery up --${name}\` said so`);

export const explainConfig = defineOperation({
  id: 'host.config-explain',
  summary: 'Explain settings of config.json: what is in force, where it comes from, and who may set it.',
  input: z.strictObject({
    key: z
      .string()
      .optional()
      .describe('a key such as gateway.exposure, or a section; default: all that is set or has a default'),
    exposure: flag('exposure'),
    caches: flag('caches'),
    zones: flag('zones'),
    corpus: flag('corpus'),
    providers: flag('providers'),
    trusted_proxy: z.array(z.string()).optional().describe('as if `bindery up --trusted-proxy` said so'),
    allow_private_endpoints: z.boolean().optional().describe('as if `bindery up --allow-private-endpoints` said so'),
  }),
  output: z.object({ settings: z.array(Explained) }),
  hints: READ_ONLY,
  // The token that all callers share must not show the owner's settings.
  http: { method: 'GET', path: '/v1/config/settings', showsCallers: true },
  mcp: false,
  cli: {
    command: 'config explain',
    positional: ['key'],
    print: ({ settings }) => {
      const [only] = settings;
      return only && settings.length === 1 ? explanation(only) : table(settings);
    },
  },
  failures: defaultFailures,
  run: async ({ key, ...given }, deps: SettingsDeps, call) => {
    refuseAllButOwner(call);
    const asked = Object.entries(given).map(([name, value]) => [name.replaceAll('_', '-'), value]);
    const flags = { ...deps.flags?.(), ...Object.fromEntries(asked) };
    // Loaded on demand, because other commands do not need it.
    const { explainSettings, nearestSettings } = await import('../config/explain-settings.ts');
    const settings = await deps.settings();
    const { layers } = await deps.config.read();
    const explained = explainSettings({ settings, layers, flags }, key);
    if (explained) return { settings: explained.map((one) => ({ ...one, notes: [...one.notes] })) };
    throw new BinderyError('USAGE', {
      detail: `"${key}" is not a key of config.json`,
      next: `Did you mean ${nearestSettings(settings, key ?? '').join(', ')}?`,
    });
  },
});

function table(settings: readonly Explained[]): string {
  const rows = settings.map(({ key, value, source, set_by }) => [key, shown(value), FROM[source], MAY_SET[set_by]]);
  return tabLines([['KEY', 'VALUE', 'FROM', 'WHO MAY SET IT'], ...rows]);
}

function explanation({
  key,
  value,
  source,
  file,
  set_by,
  default: unset,
  flag: name,
  summary,
  notes,
}: Explained): string {
  const rows: [string, unknown][] = [
    ['value', shown(value)],
    ['from', file === null ? FROM[source] : `${FROM[source]} (${file})`],
    ['default', typeof unset === 'string' ? unset : shown(unset)],
    ['set by', MAY_SET[set_by]],
    ...(name === null ? [] : [['flag', `bindery up ${name}`] as [string, string]]),
    ...notes.map((note): [string, string] => ['note', note]),
  ];
  return `${key}\n${summary}\n${tabLines(rows)}`;
}

function shown(value: unknown): string {
  return value === null || value === undefined ? '-' : JSON.stringify(value);
}
