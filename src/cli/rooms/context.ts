import { join } from 'node:path';
import type { Command } from 'commander';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { contextRoom, contextRoomWithSearch } from '../../context/operations.ts';
import type { ContextDeps } from '../../context/ports.ts';
import { bindRoom } from '../../contract/operation.ts';
import { inputSchemaOf } from '../../contract/text-input.ts';
import type { ServedRoom } from '../../runtime/up-settings.ts';
import { cachesByPath, cachesUnderRoot } from '../../store/context/locate-cache.ts';
import type { ServeFlags } from '../context-serve.ts';
import { addOperationCommand, commandAt } from '../operation-command.ts';
import { shellWord } from '../shell-word.ts';
import type { Wiring } from '../wiring.ts';
import { servedCaches } from './context-config.ts';
import { createContextDeps } from './context-deps.ts';

export const contextWiring: Wiring = {
  room: contextRoom,
  addCommands(program, terminal) {
    const deps = () => createContextDeps(cachesByPath(), undefined);
    commandAt(program, 'context').description('Documents within a token budget, the same bytes every time.');
    for (const operation of contextRoom.operations) {
      const options = (command: Command) => requireFlags(command, inputSchemaOf(operation.input).required);
      addOperationCommand(program, operation, { terminal, deps, options });
    }
    commandAt(program, 'context serve')
      .description('Serve the caches below a folder to one MCP client on stdin and stdout.')
      .option('--root <dir>', 'folder of caches; default: CONTEXT_CACHE_ROOT')
      .option('--search', 'offer context.search as a fourth tool')
      .option('--timeout-secs <seconds>', `how long a call may take; default: ${CONTEXT_LIMITS.toolTimeoutSecs}`)
      // Load the server and its SDK on demand.
      .action(async (flags: ServeFlags) => (await import('../context-serve.ts')).serveContext(flags, terminal));
  },
  async serve(settings) {
    const root = servedCaches(settings);
    const deps: ContextDeps = {
      ...createContextDeps(cachesUnderRoot(root), CONTEXT_LIMITS.toolTimeoutSecs),
      folderOf: (cache) => join(root, cache),
    };
    // A missing folder has nothing to try; it may appear later.
    const { caches } = await deps.caches.list().catch(() => ({ caches: [] }));
    const [first] = caches.filter((entry) => entry.has_manifest);
    return servedRoom(deps, first?.path, settings.baseUrl);
  },
};

function servedRoom(deps: ContextDeps, sample: string | undefined, baseUrl: () => string): ServedRoom {
  const body = JSON.stringify({ cache: sample, query: 'approve a tool call', budget: 400 });
  return {
    bound: bindRoom(contextRoomWithSearch, deps),
    hasTools: sample !== undefined,
    tryNext: () =>
      sample === undefined
        ? []
        : [`curl ${baseUrl()}/v1/context/resolve -H 'content-type: application/json' -d ${shellWord(body)}`],
    close: async () => {},
  };
}

/** A missing flag is a usage error, not an invalid value. */
function requireFlags(command: Command, names: readonly string[]): void {
  for (const option of command.options) {
    if (names.includes(option.attributeName())) option.makeOptionMandatory();
  }
}
