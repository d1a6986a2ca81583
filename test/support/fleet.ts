import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setBackground } from '../../src/host/transports/process-group.ts';

const fleetServer = fileURLToPath(new URL('../fixtures/servers/fleet-server.ts', import.meta.url));
const stdioServer = fileURLToPath(new URL('../fixtures/servers/hostile-stdio.sh', import.meta.url));

/** Ways to be hostile over HTTP and over stdio; those on the right also die or shout as processes. */
export const HTTP_KINDS = ['garbage', 'redirect', 'wrong-ids', 'cursor-loop', 'slow-bytes', 'huge', 'flood'] as const;
export const STDIO_KINDS = ['dies-at-start', 'flood', 'huge', 'stderr'] as const;

export interface FleetSize {
  readonly healthy: number;
  readonly dead: number;
  readonly hanging: number;
  readonly flapping: number;
  /** One of each hostile kind. */
  readonly hostile: boolean;
}

export interface Fleet {
  readonly origin: string;
  readonly process: ChildProcess;
  /** The config of a fleet of this size; bad servers have short deadlines, so that their ends are seen. */
  config(size: FleetSize): { mcp: { servers: Record<string, object> }; gateway: object };
}

/** Starts the process that plays all HTTP servers of a fleet; with `isBackground` behind all others that want the cores. */
export async function startFleet({ isBackground = false } = {}): Promise<Fleet> {
  const child = spawn(process.execPath, [fleetServer], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: isBackground,
  });
  if (isBackground && child.pid !== undefined) setBackground(child.pid, true);
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return { origin: String(origin), process: child, config: (size) => configOf(String(origin), size) };
}

function configOf(origin: string, { healthy, dead, hanging, flapping, hostile }: FleetSize) {
  const deadlines = { request_timeout_ms: 1_000, startup_timeout_ms: 3_000, tool_timeout_max_ms: 3_000 };
  // Those that send too much are to be found out by what they send.
  const deadlinesOf = (kind: string) => (/huge|flood|stderr/.test(kind) ? {} : deadlines);
  const http = (path: string, more: object = {}) => ({ transport: 'http', url: `${origin}/${path}`, ...more });
  const many = (kind: string, count: number, make: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => [`${kind}-${index}`, make(index)] as const);
  return {
    mcp: {
      servers: Object.fromEntries([
        ...many('healthy', healthy, (index) => http(`healthy/${index}`)),
        // Nothing listens on port 9 of this machine.
        ...many('dead', dead, () => ({ transport: 'http', url: 'http://127.0.0.1:9/mcp', ...deadlines })),
        ...many('hanging', hanging, (index) => http(`hanging/${index}`, deadlines)),
        ...many('flapping', flapping, (index) => http(`flapping/${index}`, deadlines)),
        ...(hostile ? HTTP_KINDS.map((kind) => [`http-${kind}`, http(kind, deadlinesOf(kind))] as const) : []),
        ...(hostile
          ? STDIO_KINDS.map((kind) => {
              const entry = {
                transport: 'stdio',
                command: 'sh',
                args: [stdioServer, kind],
                ...deadlinesOf(kind),
              };
              return [`stdio-${kind}`, entry] as const;
            })
          : []),
      ]),
    },
    gateway: { exposure: 'all' },
  };
}
