import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { entryDigest } from '../trust/entry-digest.ts';
import { shownEntry } from '../trust/shown-entry.ts';
import { TRUST_STATES, trustOf } from '../trust/trust-store.ts';
import type { HostDeps } from './deps.ts';

const TrustItem = z.object({
  id: z.string(),
  trust: z.enum(TRUST_STATES),
  /** Everything that it runs or sends, with secrets masked: what a person reviews before trusting it. */
  launch: z.string(),
  sha256: z.string(),
  trusted_at: z.string().nullable(),
});

const trustServers = defineOperation({
  id: 'host.trust',
  summary: "Trust servers that the project's config defines, in their current form.",
  input: z.strictObject({
    id: z.string().optional().describe('server to trust'),
    all: z.boolean().default(false).describe('trust every server of the project'),
    list: z.boolean().default(false).describe('only show what is trusted'),
    revoke: z.string().optional().describe('server to stop trusting'),
  }),
  output: z.object({
    items: z.array(TrustItem),
    next_cursor: z.null(),
    trusted: z.array(z.string()),
    revoked: z.array(z.string()),
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'mcp trust',
    positional: ['id'],
    visibleBefore: ['launch'],
    print: ({ items, trusted, revoked }, input) => {
      if (items.length === 0 && revoked.length === 0) return 'the project defines no MCP servers\n';
      if (input.list) return tabLines(items.map((item) => [item.id, item.trust, item.launch]));
      const launchOf = (id: string) => items.find((item) => item.id === id)?.launch ?? '';
      const lines = [...trusted.map((id) => `trusted ${id}: ${launchOf(id)}`), ...revoked.map((id) => `revoked ${id}`)];
      return `${lines.join('\n')}\n`;
    },
  },
  failures: defaultFailures,
  run: async ({ id, all, list, revoke }, deps: HostDeps) => {
    if ([id !== undefined, all, list, revoke !== undefined].filter(Boolean).length !== 1) {
      throw new BinderyError('USAGE', { detail: 'give one of: a server id, --all, --list, --revoke <id>' });
    }
    const servers = await deps.config.list('project');
    const chosen = all ? servers : servers.filter((server) => server.id === id);
    if (id !== undefined && chosen.length === 0) throw notInProject(id);
    if (chosen.length > 0) await deps.trust.trust(chosen);
    if (revoke !== undefined && !(await deps.trust.revoke(revoke))) {
      throw new BinderyError('SERVER_NOT_FOUND', {
        detail: `"${revoke}" is not trusted here`,
        members: { id: revoke },
      });
    }
    const known = await deps.trust.list();
    const items = servers.map((server) => {
      return {
        id: server.id,
        trust: trustOf(server, known),
        launch: shownEntry(server),
        sha256: entryDigest(server.id, server.raw),
        trusted_at: known.find((one) => one.id === server.id)?.trusted_at ?? null,
      };
    });
    return {
      items,
      next_cursor: null,
      trusted: chosen.map((server) => server.id),
      revoked: revoke === undefined ? [] : [revoke],
    };
  },
});

export const trustOperations = [trustServers];

function notInProject(id: string): BinderyError {
  return new BinderyError('SERVER_NOT_FOUND', {
    detail: `the project defines no server "${id}"; servers of the global config need no trust`,
    members: { id },
  });
}
