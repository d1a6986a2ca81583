import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../support/repository.ts';
import { importsOf } from '../support/source-imports.ts';

const IMPORTS_MAX = 12;

/** Files above the limit that create parts and hand them to each other, or list what a package exports (docs/decisions/0030). */
const COMPOSITION_ROOTS = [
  'src/bind/room.ts',
  'src/cli/command-rooms.ts',
  'src/cli/commands/command-deps.ts',
  'src/cli/context-serve.ts',
  'src/cli/doctor/diagnose.ts',
  'src/cli/init/init-deps.ts',
  'src/cli/rooms/administration.ts',
  'src/cli/rooms/bind.ts',
  'src/cli/rooms/civic-site.ts',
  'src/cli/rooms/civic-write.ts',
  'src/cli/rooms/civic.ts',
  'src/cli/rooms/context.ts',
  'src/cli/rooms/gateway.ts',
  'src/cli/rooms/host/host-deps.ts',
  'src/cli/stdio.ts',
  'src/cli/up.ts',
  'src/host/create-host.ts',
  'src/host/index.ts',
  'src/runtime/admin/file-deps.ts',
  'src/runtime/admin/gateway-api.ts',
  'src/runtime/admin/running-deps.ts',
  'src/runtime/call-ports.ts',
  'src/runtime/gateway-assembly.ts',
  'src/runtime/http/http-api.ts',
];

/** Other files that import more, and how many. A number only falls, and no file may join. */
const MANY: Readonly<Record<string, number>> = {
  'src/bind/operations/interchange.ts': 13,
  'src/bind/operations/zones.ts': 15,
  'src/civic/forms/operations.ts': 13,
  'src/civic/review/case-operations.ts': 14,
  'src/civic/review/follow-proposals.ts': 14,
  'src/civic/review/revert-merge.ts': 14,
  'src/civic/scrub/rules.ts': 13,
  'src/civic/scrub/scrub-text.ts': 16,
  'src/civic/site/site.ts': 13,
  'src/civic/submissions/create-write-deps.ts': 14,
  'src/civic/submissions/merge-amendment.ts': 16,
  'src/civic/submissions/operations.ts': 14,
  'src/civic/submissions/settle-amendment.ts': 14,
  'src/cli/commands/import-clients.ts': 18,
  'src/cli/doctor/check-files.ts': 22,
  'src/cli/shell/shell.ts': 13,
  'src/cli/stdio-bridge.ts': 18,
  'src/cli/up-settings.ts': 17,
  'src/context/operations.ts': 14,
  'src/gateway/operations/deps.ts': 15,
  'src/gateway/operations/tool-operations.ts': 13,
  'src/host/adapters/server-tools.ts': 15,
  'src/host/connection/connection.ts': 19,
  'src/host/connection/supervision/supervised-server.ts': 20,
  'src/host/host.ts': 20,
  'src/host/oauth/oauth-authorizer.ts': 18,
  'src/host/tool-host.ts': 23,
  'src/host/transports/stdio.ts': 17,
  'src/http/app.ts': 13,
  'src/proxy/nodes/other-nodes.ts': 16,
  'src/store/audit/audit-writer.ts': 16,
  'src/store/bind/folder-zones.ts': 18,
  'src/store/civic/sqlite-civic-store.ts': 17,
  'src/store/context/build-cache.ts': 23,
  'src/store/context/ingest-pool.ts': 13,
  'src/store/context/ingest-sources.ts': 18,
  'src/store/context/kept-cache.ts': 16,
  'src/store/context/open-cache.ts': 15,
  'src/store/context/verify-cache.ts': 20,
};

/** The files that import more than the limit, each with its number of modules. */
function manyImports(): ReadonlyMap<string, number> {
  const counts = sourceFiles('src')
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .map(
      (file) =>
        [file, new Set(importsOf(readFileSync(join(root, file), 'utf8')).map(({ from }) => from)).size] as const,
    );
  return new Map(counts.filter(([, count]) => count > IMPORTS_MAX));
}

test('a file imports a dozen modules at most, unless it only wires', () => {
  const found = [...manyImports()].filter(([file]) => !COMPOSITION_ROOTS.includes(file));
  expect(Object.fromEntries(found)).toEqual(MANY);
});

test('a composition root that imports a dozen modules at most leaves the list', () => {
  const found = manyImports();
  expect(COMPOSITION_ROOTS.filter((file) => !found.has(file))).toEqual([]);
});
