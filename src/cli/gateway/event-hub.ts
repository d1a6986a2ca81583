import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import type { EventName } from '../../gateway/operations/event-operations.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import { UP_LIMITS } from '../limits.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';
import { policyStatus } from './policy-status.ts';
import { serverItem } from './running-deps.ts';

interface SentEvent {
  readonly id: number;
  readonly text: string;
}

/** What happens in a gateway, as one stream of server-sent events for any number of readers. */
export class EventHub {
  readonly #runtime: GatewayRuntime;
  readonly #dataDir: string;
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #reading: FailureReport;
  readonly #encoder = new TextEncoder();
  #kept: SentEvent[] = [];
  #lastId = 0;
  /** Undefined until somebody listens: before that nobody can have missed a change of the lists. */
  #lists: { readonly tools: ReadonlyMap<string, string>; readonly policy: string } | undefined;
  #mark: number;
  #audit: NodeJS.Timeout | undefined;
  #comments: NodeJS.Timeout | undefined;

  constructor(runtime: GatewayRuntime, dataDir: string, log: Log) {
    this.#runtime = runtime;
    this.#dataDir = dataDir;
    this.#reading = new FailureReport(log, {
      failing: 'events of ended calls wait, because the audit log cannot be read',
      again: 'events of ended calls are told again',
    });
    this.#mark = runtime.audit.head.seq;
    runtime.host.on('status', ({ id }: { id: string }) => this.#serverChanged(id));
    runtime.approvals.on('created', (approval: Approval) => this.#send('approval.created', approval));
    runtime.approvals.on('decided', (approval: Approval) => this.#send('approval.decided', approval));
    runtime.feed.on('changed', () => this.#listsChanged());
  }

  /** The events from now on, or from the one after `lastEventId` where that is still known. */
  stream(lastEventId: string | undefined): ReadableStream<Uint8Array> {
    let reader: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        reader = controller;
        // Who begins anew hears of what happens from now on; who comes back, of what was missed.
        if (this.#readers.size === 0 && lastEventId === undefined) this.#mark = this.#runtime.audit.head.seq;
        this.#lists ??= { tools: this.#toolNames(), policy: this.#policyState() };
        for (const text of this.#missed(lastEventId)) controller.enqueue(this.#encoder.encode(text));
        this.#readers.add(controller);
        this.#run();
      },
      cancel: () => this.#leave(reader),
    });
  }

  close(): void {
    for (const reader of [...this.#readers]) {
      this.#leave(reader);
      reader.close();
    }
  }

  /** A first comment makes the connection known to both ends. */
  #missed(lastEventId: string | undefined): string[] {
    if (lastEventId === undefined) return [': connected\n\n'];
    const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const oldest = this.#kept[0]?.id ?? this.#lastId + 1;
    if (seen < oldest - 1 || seen > this.#lastId) return [`id: ${this.#lastId}\nevent: reset\ndata: {}\n\n`];
    return [': connected\n\n', ...this.#kept.filter(({ id }) => id > seen).map(({ text }) => text)];
  }

  #send(event: EventName, data: unknown): void {
    this.#lastId += 1;
    const body = JSON.stringify({ time: this.#runtime.gateway.ports.now(), data });
    const text = `id: ${this.#lastId}\nevent: ${event}\ndata: ${body}\n\n`;
    this.#kept.push({ id: this.#lastId, text });
    if (this.#kept.length > UP_LIMITS.eventsKeptMax) this.#kept = this.#kept.slice(-UP_LIMITS.eventsKeptMax);
    this.#write(text);
  }

  #write(text: string): void {
    const bytes = this.#encoder.encode(text);
    for (const reader of [...this.#readers]) {
      if ((reader.desiredSize ?? 0) < -UP_LIMITS.eventChunksBehindMax) {
        this.#leave(reader);
        reader.close();
      } else reader.enqueue(bytes);
    }
  }

  #serverChanged(id: string): void {
    const { config, builtins } = this.#runtime;
    if (config.find(id) || builtins.has(id)) this.#send('server.changed', serverItem(this.#runtime, id));
  }

  /** Both are told by one signal of the gateway; what did not change is not told. */
  #listsChanged(): void {
    const before = this.#lists;
    if (!before) return;
    const [tools, policy] = [this.#toolNames(), this.#policyState()];
    if (policy !== before.policy) this.#send('policy.changed', policyStatus(this.#runtime));
    const isSame =
      tools.size === before.tools.size && [...tools].every(([name, state]) => before.tools.get(name) === state);
    if (!isSame) this.#send('tools.changed', { names: [...tools.keys()] });
    this.#lists = { tools, policy };
  }

  /** Names in order, each with its digest: a changed definition is a change, and only names are told. */
  #toolNames(): Map<string, string> {
    const { tools } = publicCatalogue(this.#runtime.offers(), 'qualified');
    return new Map([...tools.values()].map(({ name, offered }) => [name, `${offered.sha256} ${offered.status}`]));
  }

  #policyState(): string {
    const { layers } = policyStatus(this.#runtime);
    return JSON.stringify(layers.map(({ loaded_at: _, ...layer }) => layer));
  }

  /** The log is looked at only while somebody listens, so that it costs calls nothing. */
  #run(): void {
    const sendAudit = () => this.#reading.attempt(() => this.#sendAudit());
    this.#audit ??= setInterval(sendAudit, UP_LIMITS.auditEventsEveryMs).unref();
    this.#comments ??= setInterval(() => this.#write(': still here\n\n'), UP_LIMITS.eventCommentEveryMs).unref();
  }

  #leave(reader: ReadableStreamDefaultController<Uint8Array>): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#audit);
    clearInterval(this.#comments);
    this.#audit = undefined;
    this.#comments = undefined;
  }

  #sendAudit(): void {
    const { chain, head } = this.#runtime.audit;
    if (this.#mark === head.seq) return;
    const { items, dropped } = readAudit(this.#dataDir, (reader) =>
      reader.endedBetween(chain, this.#mark, head.seq, UP_LIMITS.auditEventItemsMax),
    );
    this.#mark = head.seq;
    if (items.length > 0) this.#send('audit.appended', { items, dropped });
  }
}
