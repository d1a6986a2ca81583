import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ServerTest, TestStep } from '../../gateway/operations/items.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { Host, type HostPorts } from '../../host/host.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { UP_LIMITS } from '../limits.ts';

type Step = z.output<typeof TestStep>;

export interface ServerTestsOptions {
  /** What connects to a configured server. */
  hostOf(id: string): Host;
  /** How an entry that stands in no file would be connected. Throws `SERVER_INVALID`. */
  specOf(id: string, entry: Readonly<Record<string, unknown>>): ServerSpec;
  readonly hostPorts: HostPorts;
  redact(text: string): string;
  now(): number;
}

interface TestWatch {
  readonly signal: AbortSignal;
  /** Told of each step as it is taken. */
  tell?(step: Step): void;
}

/** Tests of servers that are configured, and of entries that stand nowhere yet. */
export function serverTests(options: ServerTestsOptions) {
  const { hostOf, specOf, hostPorts } = options;
  return {
    test: (id: string, signal: AbortSignal) => testServer(hostOf(id), id, options, { signal }),
    testEntry: async (id: string, entry: Readonly<Record<string, unknown>>, watch: TestWatch) => {
      const spec = specOf(id, entry);
      // A folder of the server's own is made when it is added; what it writes before goes with the test.
      const isOwnCwd = spec.transport === 'stdio' && spec.isOwnCwd === true;
      const cwd = isOwnCwd ? await mkdtemp(join(tmpdir(), 'bindery-test-')) : '';
      const tried = new Host(hostPorts);
      // With lists that are known already, nothing is connected before the test.
      tried.apply([isOwnCwd ? { ...spec, cwd } : spec], new Map([[id, EMPTY_CATALOGUE]]));
      try {
        return await testServer(tried, id, options, watch);
      } finally {
        await tried.close();
        if (isOwnCwd) await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

/** A connection beside the one in use, closed again: its steps, and what it found or where it stopped. */
async function testServer(
  host: Host,
  id: string,
  { redact, now }: ServerTestsOptions,
  watch: TestWatch,
): Promise<z.output<typeof ServerTest>> {
  const steps = new TestSteps(now, watch.tell);
  const report = { id, era: null, protocol_version: null, server_info: null, tools: null, stderr: null };
  let process: { readonly stderr: string } | undefined;
  const isProgram = host.statusOf(id)?.transport === 'stdio';
  const signal = AbortSignal.any([watch.signal, AbortSignal.timeout(UP_LIMITS.serverTestMs)]);
  try {
    const upstream = await host.openSession(
      id,
      { info: CLIENT_INFO, callbacks: {}, capabilities: {} },
      {
        signal,
        // Over HTTP nothing is dialled before the first request: only its answer tells.
        onOpened: () => isProgram && steps.reach('initialize'),
        onProcess: (started) => {
          process = started;
        },
      },
    );
    try {
      steps.reach('list');
      const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, now(), signal);
      steps.end('done');
      const { era, protocolVersion, serverInfo } = upstream;
      const found = { era, protocol_version: protocolVersion, server_info: serverInfo ?? null };
      return { ...report, ...found, ok: true, tools: catalogue.tools.length, ...steps.report(), error: null };
    } finally {
      await upstream.close();
    }
  } catch (thrown) {
    if (thrown instanceof UpstreamError && thrown.kind !== 'refused') steps.reach('initialize');
    steps.end('failed');
    const error = redact(thrown instanceof Error ? thrown.message : 'it failed');
    const stderr = process?.stderr.slice(-UP_LIMITS.testStderrMax) || null;
    return { ...report, ok: false, ...steps.report(), stderr, error };
  }
}

const ORDER = ['connect', 'initialize', 'list'] as const;

/** Each step begins where the one before ends. */
class TestSteps {
  readonly #now: () => number;
  readonly #tellStep: TestWatch['tell'];
  readonly #done: Step[] = [];
  readonly #begun: number;
  #at: (typeof ORDER)[number] = 'connect';
  #since: number;

  constructor(now: () => number, tellStep: TestWatch['tell']) {
    this.#now = now;
    this.#tellStep = tellStep;
    this.#begun = now();
    this.#since = this.#begun;
    this.#tell('running', 0);
  }

  /** What comes before it is done. */
  reach(step: (typeof ORDER)[number]): void {
    while (ORDER.indexOf(this.#at) < ORDER.indexOf(step)) {
      this.end('done');
      this.#at = ORDER[ORDER.indexOf(this.#at) + 1] ?? step;
      this.#tell('running', 0);
    }
  }

  end(state: 'done' | 'failed'): void {
    const ms = this.#now() - this.#since;
    this.#since += ms;
    this.#done.push({ name: this.#at, state, ms });
    this.#tell(state, ms);
  }

  report(): { steps: Step[]; ms: number } {
    return { steps: this.#done, ms: this.#now() - this.#begun };
  }

  #tell(state: Step['state'], ms: number): void {
    this.#tellStep?.({ name: this.#at, state, ms });
  }
}
