import { randomUUID } from 'node:crypto';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CONTEXT_LIMITS } from '../context/limits.ts';
import { contextRoom, contextRoomWithSearch } from '../context/operations.ts';
import { bindRoom } from '../contract/operation.ts';
import { createMcpServer } from '../mcp/server.ts';
import { StdioTransport } from '../mcp/stdio-transport.ts';
import { VERSION } from '../runtime/version.ts';
import { cachesUnderRoot } from '../store/context/locate-cache.ts';
import { createLog } from './log.ts';
import { usageError } from './operation-command.ts';
import { createContextDeps } from './rooms/context-deps.ts';
import type { Terminal } from './terminal.ts';

export interface ServeFlags {
  readonly root?: string;
  readonly search?: boolean;
  readonly timeoutSecs?: string;
}

/** `context serve`: the three tools on stdin and stdout, until the client closes its end. */
export async function serveContext(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const root = flags.root ?? process.env.CONTEXT_CACHE_ROOT;
  if (!root) throw usageError('the folder of caches is not set: pass --root or set CONTEXT_CACHE_ROOT');
  const log = createLog((line) => process.stderr.write(line), 'warn');
  if (process.env.CONTEXT_TOOL_TIMEOUT_SECS !== undefined) {
    log.warn('CONTEXT_TOOL_TIMEOUT_SECS is ignored: no variable changes an answer; pass --timeout-secs');
  }
  const deps = createContextDeps(cachesUnderRoot(root), readTimeoutSecs(flags.timeoutSecs));
  const transport = new StdioTransport({
    stdin: process.stdin,
    stdout: process.stdout,
    lineBytesMax: CONTEXT_LIMITS.lineBytesMax,
  });
  const rooms = [bindRoom(flags.search ? contextRoomWithSearch : contextRoom, deps)];
  const options = { name: 'mcp-context-server', version: VERSION, rooms, log, newRequestId: randomUUID };
  const handle = serveStdio(() => createMcpServer(options), {
    transport,
    onerror: (error) => log.warn('message refused', { error: error.message }),
  });
  await untilClosed(transport, terminal.signal);
  await handle.close();
}

function readTimeoutSecs(text: string | undefined): number {
  if (text === undefined) return CONTEXT_LIMITS.toolTimeoutSecs;
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= CONTEXT_LIMITS.toolTimeoutSecsMax)) {
    throw usageError(`--timeout-secs is not a number of seconds up to ${CONTEXT_LIMITS.toolTimeoutSecsMax}`);
  }
  return seconds;
}

/** The entry sets `onclose`, so wrap it instead of replacing it. */
function untilClosed(transport: StdioTransport, interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
}
