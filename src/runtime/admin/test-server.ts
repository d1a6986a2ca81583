import type { z } from 'zod';
import type { ServerTest, TestStep } from '../../gateway/operations/items.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { Host } from '../../host/host.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { UP_LIMITS } from '../limits.ts';

type Step = z.output<typeof TestStep>;

export interface TestOptions {
  redact(text: string): string;
  now(): number;
  readonly signal: AbortSignal;
  /** Told of each step as it is taken. */
  tell?(step: Step): void;
}

/** A connection beside the one in use, closed again: its steps, and what it found or where it stopped. */
export async function testServer(host: Host, id: string, options: TestOptions): Promise<z.output<typeof ServerTest>> {
  const { redact, now } = options;
  const steps = new TestSteps(options);
  const report = { id, era: null, protocol_version: null, server_info: null, tools: null, stderr: null };
  let process: { readonly stderr: string } | undefined;
  const isProgram = host.statusOf(id)?.transport === 'stdio';
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(UP_LIMITS.serverTestMs)]);
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
  readonly #options: Pick<TestOptions, 'now' | 'tell'>;
  readonly #done: Step[] = [];
  readonly #begun: number;
  #at: (typeof ORDER)[number] = 'connect';
  #since: number;

  constructor(options: Pick<TestOptions, 'now' | 'tell'>) {
    this.#options = options;
    this.#begun = options.now();
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
    const ms = this.#options.now() - this.#since;
    this.#since += ms;
    this.#done.push({ name: this.#at, state, ms });
    this.#tell(state, ms);
  }

  report(): { steps: Step[]; ms: number } {
    return { steps: this.#done, ms: this.#options.now() - this.#begun };
  }

  #tell(state: Step['state'], ms: number): void {
    this.#options.tell?.({ name: this.#at, state, ms });
  }
}
