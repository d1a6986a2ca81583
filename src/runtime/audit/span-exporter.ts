import type { Log } from '../../contract/ports.ts';
import type { OtlpAttribute, OtlpSpan } from '../../gateway/trace/call-span.ts';
import type { TraceSettings } from '../../gateway/trace/trace-settings.ts';
import { pause } from '../admin/pause.ts';
import { UP_LIMITS } from '../limits.ts';

const RETRIED = new Set([429, 502, 503, 504]);

export interface SpanExporterOptions {
  readonly settings: TraceSettings;
  readonly version: string;
  readonly log: Log;
}

/**
 * Sends spans to a collector as OTLP over HTTP, in batches, one request at a time. The queue is bounded: if it is full, spans are
 * dropped and counted. Calls never wait for it.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #resource: readonly OtlpAttribute[];
  readonly #ended = new AbortController();
  #queue: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #dropped = 0;
  #exported = 0;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    const resource = Object.entries(options.settings.resource);
    this.#resource = resource.map(([key, stringValue]) => ({ key, value: { stringValue } }));
  }

  /** Spans that were lost because the queue was full or the collector refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  get exported(): number {
    return this.#exported;
  }

  add(span: OtlpSpan): void {
    const { queueMax, batchMax, delayMs } = this.#options.settings;
    if (this.#queue.length >= queueMax || this.#ended.signal.aborted) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#sending) return;
    if (this.#queue.length >= batchMax) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), delayMs).unref();
  }

  /** Sends the remaining spans within this time. */
  async close(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#ended.abort(), withinMs);
    while (this.#sending || (this.#queue.length > 0 && !this.#ended.signal.aborted)) {
      if (!this.#sending) this.#send();
      await this.#sending;
    }
    clearTimeout(timer);
    this.#ended.abort();
    clearTimeout(this.#timer);
    this.#dropped += this.#queue.length;
    this.#queue = [];
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#queue.splice(0, this.#options.settings.batchMax);
    if (batch.length === 0) return;
    this.#sending = this.#export(batch).finally(() => {
      this.#sending = undefined;
      const { batchMax, delayMs } = this.#options.settings;
      if (this.#queue.length >= batchMax) this.#send();
      else if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#send(), delayMs).unref();
    });
  }

  async #export(batch: readonly OtlpSpan[]): Promise<void> {
    const problem = await this.#deliver(JSON.stringify(this.#message(batch)));
    if (problem === undefined) this.#exported += batch.length;
    else this.#dropped += batch.length;
    // Log once per outage, not once per batch.
    if (problem !== undefined && !this.#isFailing)
      this.#options.log.warn('spans could not be sent', { reason: problem, dropped: this.#dropped });
    this.#isFailing = problem !== undefined;
  }

  /** Delivers a batch, with retries until the export deadline. Undefined on success, otherwise the reason. */
  async #deliver(body: string): Promise<string | undefined> {
    const { url, headers, timeoutMs, exportTimeoutMs } = this.#options.settings;
    const deadline = AbortSignal.any([AbortSignal.timeout(exportTimeoutMs), this.#ended.signal]);
    for (let pauseMs = UP_LIMITS.spanRetryFirstMs; ; pauseMs *= 2) {
      let problem: string;
      let isFinal = false;
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), deadline]);
        const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
        await response.body?.cancel();
        if (response.ok) return undefined;
        problem = `the collector answered ${response.status}`;
        isFinal = !RETRIED.has(response.status);
      } catch {
        problem = 'the collector cannot be reached';
      }
      if (isFinal || deadline.aborted) return problem;
      await pause(pauseMs, deadline);
      if (deadline.aborted) return problem;
    }
  }

  #message(spans: readonly OtlpSpan[]): object {
    const scope = { name: 'mcp-bindery', version: this.#options.version };
    return { resourceSpans: [{ resource: { attributes: this.#resource }, scopeSpans: [{ scope, spans }] }] };
  }
}
