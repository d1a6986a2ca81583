import { z } from 'zod';
import { defineOperation } from '../../contract/operation.ts';
import { civicFailures } from '../failures.ts';

export interface SiteRequest {
  /** Undefined: the configured corpus. */
  readonly dir: string | undefined;
  readonly out: string;
  readonly baseUrl: string | undefined;
  readonly name: string | undefined;
}

export interface SiteDeps {
  /** Writes the site of a corpus into a folder, only new and changed pages. */
  writeSite(request: SiteRequest): Promise<{ pages: number; written: number; removed: number }>;
  /** A clock for durations. */
  elapsedMs(): number;
}

export const writeSitePages = defineOperation({
  id: 'civic.site',
  summary: 'Write a corpus as a site that any host can serve; a second run writes what changed.',
  input: z.strictObject({
    dir: z.string().min(1).optional().describe('Folder of the corpus; default: civic.corpus of config.json.'),
    out: z.string().min(1).describe('Folder to write into.'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where the site will be read, for feed and structured data.'),
    name: z.string().min(1).max(100).optional().describe('What the site is called; default: civic.site_name.'),
  }),
  output: z.object({ pages: z.int(), written: z.int(), removed: z.int(), ms: z.number() }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'civic site',
    positional: ['dir'],
    print: ({ pages, written, removed, ms }) => `${pages} pages, ${written} written, ${removed} removed (${ms} ms)\n`,
  },
  failures: civicFailures(),
  run: async ({ dir, out, base_url, name }, deps: SiteDeps) => {
    const started = deps.elapsedMs();
    const done = await deps.writeSite({ dir, out, baseUrl: base_url?.replace(/\/+$/, ''), name });
    return { ...done, ms: Math.round(deps.elapsedMs() - started) };
  },
});
