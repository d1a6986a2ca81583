import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import type { EventsWanted } from '../../gateway/operations/event-names.ts';
import { EndedOnAllChains } from '../audit/ended-on-all-chains.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { UP_LIMITS } from '../limits.ts';
import { EventStreams } from './event-streams.ts';
import { ListChanges } from './list-changes.ts';

/** Publishes what happens in a gateway as one stream of server-sent events. */
export class EventHub {
  readonly #streams: EventStreams;
  readonly #changes: ListChanges;
  readonly #ended: EndedOnAllChains;
  readonly #reading: FailureReport;
  #audit: NodeJS.Timeout | undefined;

  constructor(runtime: GatewayAssembly, dataDir: string, log: Log) {
    const { connections, approvals, feed, audit } = runtime;
    this.#streams = new EventStreams({
      now: audit.now,
      toolNamesOf: (profiles) => this.#changes.toolNamesOf(profiles),
      onJoin: (wanted) => this.#begin(wanted),
      onReaders: () => this.#followAudit(),
    });
    this.#changes = new ListChanges(runtime, (event, data) => this.#streams.send(event, JSON.stringify(data)));
    this.#ended = new EndedOnAllChains(dataDir);
    this.#reading = new FailureReport(log, {
      failing: 'events of ended calls are delayed: the audit log cannot be read',
      again: 'events of ended calls are sent again',
    });
    connections.host.on('status', ({ id }: { id: string }) => this.#changes.serverChanged(id));
    for (const name of ['created', 'decided'] as const)
      approvals.on(name, (approval: Approval) => this.#streams.send(`approval.${name}`, JSON.stringify(approval)));
    feed.on('changed', () => this.#changes.listsChanged());
  }

  /** The events for one reader; see `EventStreams`. */
  stream(...args: Parameters<EventStreams['stream']>): ReadableStream<Uint8Array> {
    return this.#streams.stream(...args);
  }

  close(): void {
    this.#streams.close();
  }

  /** A new reader gets future events; a returning one also those that it missed. */
  #begin({ lastEventId, names = [] }: EventsWanted): void {
    const isFirst = !this.#streams.hasReaderOf('audit.appended') && lastEventId === undefined;
    if (names.includes('audit.appended'))
      this.#reading.attempt(() => (isFirst ? this.#ended.passOver() : this.#ended.begin()));
    this.#changes.begin();
  }

  /** Reads the log only while a reader subscribes to calls, so that it costs nothing otherwise. */
  #followAudit(): void {
    const sendAudit = () => this.#reading.attempt(() => this.#sendAudit());
    if (this.#streams.hasReaderOf('audit.appended')) {
      this.#audit ??= setInterval(sendAudit, UP_LIMITS.auditEventsEveryMs).unref();
      return;
    }
    clearInterval(this.#audit);
    this.#audit = undefined;
  }

  #sendAudit(): void {
    const { items, dropped } = this.#ended.take();
    if (items.length > 0) this.#streams.send('audit.appended', `{"items":[${items.join(',')}],"dropped":${dropped}}`);
  }
}
