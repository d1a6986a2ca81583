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
  /** The host that connects to a configured server. */
  hostOf(id: string): Host;
  /** The connection settings for an entry that is in no file. Throws `SERVER_INVALID`. */
  specOf(id: string, entry: Readonly<Record<string, unknown>>): ServerSpec;
  readonly hostPorts: HostPorts;
  redact(text: string): string;
  now(): number;
}

interface TestWatch {
  readonly signal: AbortSignal;
  /** Called with each step as it happens. */
  tell?(step: Step): void;
}

/** Tests configured servers, and entries that are in no file yet. */
export function serverTests(options: ServerTestsOptions) {
  const { hostOf, specOf, hostPorts } = options;
  return {
    test: (id: string, signal: AbortSignal) => testServer(hostOf(id), id, options, { signal }),
    testEntry: async (id: string, entry: Readonly<Record<string, unknown>>, watch: TestWatch) => {
      const spec = specOf(id, entry);
      // A server's own folder is created when it is added. The test uses a temporary one.
      const isOwnCwd = spec.transport === 'stdio' && spec.isOwnCwd === true;
      const cwd = isOwnCwd ? await mkdtemp(join(tmpdir(), 'bindery-test-')) : '';
      const tried = new Host(hostPorts);
      // With known lists the host connects only for the test itself.
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

/** Opens a second connection and closes it again. Reports its steps, and what it found or where it stopped. */
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
        // HTTP dials with the first request, so only its answer shows that the server is reachable.
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
      return {
        ...report,
        ...found,
        ok: true,
        tools: catalogue.tools.length,
        ...steps.report(),
        error: null,
        needs_sign_in: false,
      };
    } finally {
      await upstream.close();
    }
  } catch (thrown) {
    if (thrown instanceof UpstreamError && thrown.kind !== 'refused') steps.reach('initialize');
    steps.end('failed');
    const error = redact(thrown instanceof Error ? thrown.message : 'it failed');
    const stderr = process?.stderr.slice(-UP_LIMITS.testStderrMax) || null;
    const needs_sign_in = thrown instanceof UpstreamError && thrown.signIn;
    return { ...report, ok: false, ...steps.report(), stderr, error, needs_sign_in };
  }
}

const ORDER = ['connect', 'initialize', 'list'] as const;

/** Each step begins when the previous one ends. */
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

  /** Begins a step; all earlier steps are done. */
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
