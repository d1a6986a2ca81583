import { z } from 'zod';

const Needed = z.object({
  name: z.string(),
  description: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
});

/** A server of the catalog: how to start or reach it, what it needs, and what to know before trusting it. */
export const CatalogEntry = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  source: z.string().describe('well-known, or the registry that lists it'),
  transport: z.enum(['stdio', 'http', 'sse']),
  command: z.string().optional(),
  args: z.array(z.string()).optional().describe('{name} is filled in when the server is added'),
  url: z.string().optional(),
  runtime: z.string().nullable().describe('program that must be installed: node, uv, docker'),
  auth: z
    .enum(['none', 'oauth', 'headers'])
    .describe('how it knows who calls; oauth: sign in with `bindery mcp auth login`'),
  env: z.array(Needed).describe('variables of the server'),
  labels: z.array(z.string()),
  trust: z.string().nullable().describe('who makes it, and what it can reach'),
});
export type CatalogEntry = z.output<typeof CatalogEntry>;

/** The names of the blanks to fill in. */
export function blanksOf({ args = [], url = '' }: CatalogEntry): string[] {
  return [
    ...new Set([...args, url].flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string))),
  ];
}

/** The config entry: blanks filled in, and variables given or taken from the gateway's environment. */
export function configEntry(
  entry: CatalogEntry,
  filled: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => filled[name] ?? whole);
  const { transport, command, args, url } = entry;
  const taken = entry.env.filter(({ name, required }) => required && env[name] === undefined).map(({ name }) => name);
  const variables = { ...Object.fromEntries(taken.map((name) => [name, `\${${name}}`])), ...env };
  return {
    transport,
    ...(command === undefined ? {} : { command, args: (args ?? []).map(fill) }),
    ...(url === undefined ? {} : { url: fill(url) }),
    ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
    ...(taken.length === 0 ? {} : { expand_env: true }),
  };
}
