import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Call } from '../../contract/operation.ts';
import type { Log } from '../../contract/ports.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import { EVENT_NAMES, type EventName, type EventsWanted } from '../../gateway/operations/event-names.ts';
import type { ServerItem } from '../../gateway/operations/items.ts';
import { whenExpired } from '../../proxy/http/when-expired.ts';
import { EndedOnAllChains } from '../audit/ended-on-all-chains.ts';
import { offersOf } from '../catalogue/registry-tools.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { UP_LIMITS } from '../limits.ts';
import { KeptEvents } from './kept-events.ts';
import { narrowEvent } from './narrow-event.ts';
import { serverItem } from './server-item.ts';

type ServerEvent = z.output<typeof ServerItem>;

/** The event of a removed server. */
const REMOVED = {
  enabled: false,
  state: 'disabled',
  reason: 'removed',
  connected: false,
  status: 'stopped',
  tools: 0,
  held: 0,
} as const;

/** What of a server makes an event: not that it was checked once more. */
function shownState(item: ServerEvent | undefined) {
  const { last_health_check: _looked, breaker: _calls, ...shown } = item ?? {};
  return shown;
}

/** Enough for the id and the name of any event. */
const HEAD_BYTES = 64;

/** One stream; the bytes that wait in it are what is measured, since an event may be a few of them or a megabyte. */
type Reader = ReadableStreamDefaultController<Uint8Array>;

interface Listening {
  readonly caller: string | undefined;
  readonly wantsCalls: boolean;
  /** Ends the wait for the end of the reader's credential. */
  stopWaiting(): void;
  /** What the reader gets of an event; undefined: nothing. */
  hear(event: Uint8Array): Uint8Array | undefined;
}

/** Whether the event, as it is written, has one of the names. Comments and `reset` are for everyone. */
function hasName(bytes: Uint8Array, names: readonly EventName[]): boolean {
  const [, name] = /^id: \d+\nevent: (\S+)\n/.exec(new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES))) ?? [];
  return name === undefined || name === 'reset' || names.some((one) => one === name);
}

/** What happens in a gateway, as one stream of server-sent events for any number of readers. */
export class EventHub {
  readonly #runtime: GatewayAssembly;
  readonly #ended: EndedOnAllChains;
  readonly #readers = new Map<Reader, Listening>();
  readonly #reading: FailureReport;
  readonly #encoder = new TextEncoder();
  readonly #kept = new KeptEvents();
  /** Undefined until the first listener: before that, no change of the lists can be missed. */
  #lists: { readonly tools: ReadonlyMap<string, string>; readonly policy: string } | undefined;
  /** Servers as of the last event, or as of the first subscription. */
  readonly #servers = new Map<string, ServerEvent>();
  #audit: NodeJS.Timeout | undefined;
  #comments: NodeJS.Timeout | undefined;

  constructor(runtime: GatewayAssembly, dataDir: string, log: Log) {
    this.#runtime = runtime;
    this.#ended = new EndedOnAllChains(dataDir);
    this.#reading = new FailureReport(log, {
      failing: 'events of ended calls wait, because the audit log cannot be read',
      again: 'events of ended calls are told again',
    });
    runtime.connections.host.on('status', ({ id }: { id: string }) => this.#serverChanged(id));
    runtime.approvals.on('created', (approval: Approval) => this.#send('approval.created', approval));
    runtime.approvals.on('decided', (approval: Approval) => this.#send('approval.decided', approval));
    runtime.feed.on('changed', () => this.#listsChanged());
  }

  /**
   * The events of these names from now on, or from the one after `lastEventId` where that is still known, as long as the credential holds; of
   * these profiles alone where some are given. Where a caller has too many streams, its oldest ends.
   */
  stream(
    { lastEventId, names = EVENT_NAMES }: EventsWanted,
    { holding = {}, profiles, caller }: Pick<Call, 'holding' | 'profiles' | 'caller'> = {},
  ): ReadableStream<Uint8Array> {
    this.#makeRoom(caller);
    const narrowed = profiles === undefined ? (event: Uint8Array) => event : this.#hearing(profiles);
    const hear = (event: Uint8Array) => (hasName(event, names) ? narrowed(event) : undefined);
    const wantsCalls = names.includes('audit.appended');
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 0 });
    let reader: Reader;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = controller;
          // A new reader gets future events; a returning one also those that it missed.
          const isAnew = !this.#hasReaderOfCalls() && lastEventId === undefined;
          if (wantsCalls) this.#reading.attempt(() => (isAnew ? this.#ended.passOver() : this.#ended.begin()));
          if (!this.#lists) this.#begin();
          for (const event of this.#missed(lastEventId)) {
            const bytes = hear(event);
            if (bytes) controller.enqueue(bytes);
          }
          const stopWaiting = whenExpired(holding, () => this.#end(controller));
          this.#readers.set(controller, { caller, wantsCalls, stopWaiting, hear });
          this.#run();
        },
        cancel: () => this.#leave(reader),
      },
      strategy,
    );
  }

  close(): void {
    for (const reader of [...this.#readers.keys()]) this.#end(reader);
  }

  #makeRoom(caller: string | undefined): void {
    const own = [...this.#readers].filter(([, listening]) => listening.caller === caller);
    for (const [reader] of own.slice(0, Math.max(0, own.length + 1 - UP_LIMITS.eventStreamsPerCallerMax)))
      this.#end(reader);
  }

  /** A first comment makes the connection known to both ends. */
  #missed(lastEventId: string | undefined): Uint8Array[] {
    const connected = this.#encoder.encode(': connected\n\n');
    if (lastEventId === undefined) return [connected];
    const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const missed = this.#kept.after(seen);
    return missed
      ? [connected, ...missed]
      : [this.#encoder.encode(`id: ${this.#kept.lastId}\nevent: reset\ndata: {}\n\n`)];
  }

  #send(event: EventName, data: unknown): void {
    this.#sendText(event, JSON.stringify(data));
  }

  #sendText(event: EventName, data: string): void {
    const body = `{"time":${JSON.stringify(this.#runtime.audit.now())},"data":${data}}`;
    this.#write(this.#kept.add((id) => this.#encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${body}\n\n`)));
  }

  #write(bytes: Uint8Array): void {
    for (const [reader, { hear }] of [...this.#readers]) {
      const heard = hear(bytes);
      if (!heard) continue;
      if ((reader.desiredSize ?? 0) < -UP_LIMITS.eventBytesBehindMax) this.#end(reader);
      else reader.enqueue(heard);
    }
  }

  #begin(): void {
    this.#lists = { tools: this.#toolNames(), policy: this.#policyState() };
    for (const id of this.#runtime.servers.ids()) this.#servers.set(id, serverItem(this.#runtime, id));
  }

  #hearing(profiles: readonly string[]): Listening['hear'] {
    const decoder = new TextDecoder();
    const toolNames = () => this.#toolNamesOf(profiles);
    return (event) => {
      const heard = narrowEvent(decoder.decode(event), { profiles, toolNames });
      return heard === undefined ? undefined : this.#encoder.encode(heard);
    };
  }

  /** A profile that was removed from the config has no tools. */
  #toolNamesOf(profiles: readonly string[]): ReadonlySet<string> {
    const { policy, servers } = this.#runtime;
    const offers = policy.profiles
      .filter(({ name }) => profiles.includes(name))
      .flatMap((profile) => offersOf(servers.offers(), profile));
    return new Set(publicCatalogue([...new Set(offers)], 'qualified').tools.keys());
  }

  #serverChanged(id: string): void {
    const { config, servers } = this.#runtime;
    if (config.find(id) || servers.builtins.has(id)) this.#tellServer(serverItem(this.#runtime, id));
  }

  #tellServer(item: ServerEvent): void {
    this.#servers.set(item.id, item);
    this.#send('server.changed', item);
  }

  /** Servers that came, went, or changed without their connection: switched off, held, accepted. */
  #serversChanged(): void {
    const ids = new Set(this.#runtime.servers.ids());
    for (const id of ids) {
      const item = serverItem(this.#runtime, id);
      if (!isDeepStrictEqual(shownState(item), shownState(this.#servers.get(id)))) this.#tellServer(item);
    }
    for (const [id, before] of this.#servers) {
      if (ids.has(id)) continue;
      this.#tellServer({ ...before, ...REMOVED });
      this.#servers.delete(id);
    }
  }

  /** The gateway signals both at once; only real changes are sent. */
  #listsChanged(): void {
    const before = this.#lists;
    if (!before) return;
    this.#serversChanged();
    const [tools, policy] = [this.#toolNames(), this.#policyState()];
    if (policy !== before.policy) this.#send('policy.changed', this.#runtime.policy.status());
    const isSame =
      tools.size === before.tools.size && [...tools].every(([name, state]) => before.tools.get(name) === state);
    if (!isSame) this.#send('tools.changed', { names: [...tools.keys()] });
    this.#lists = { tools, policy };
  }

  /** Names in order, each with its digest: a changed definition is a change, and only names are told. */
  #toolNames(): Map<string, string> {
    const { tools } = publicCatalogue(this.#runtime.servers.offers(), 'qualified');
    return new Map([...tools.values()].map(({ name, offered }) => [name, `${offered.sha256} ${offered.status}`]));
  }

  #policyState(): string {
    const { layers, approval } = this.#runtime.policy.status();
    return JSON.stringify([layers.map(({ loaded_at: _, ...layer }) => layer), approval]);
  }

  #hasReaderOfCalls(): boolean {
    return [...this.#readers.values()].some(({ wantsCalls }) => wantsCalls);
  }

  /** The log is read only while a reader subscribes to calls, so that it costs calls nothing otherwise. */
  #run(): void {
    const sendAudit = () => this.#reading.attempt(() => this.#sendAudit());
    if (this.#hasReaderOfCalls()) this.#audit ??= setInterval(sendAudit, UP_LIMITS.auditEventsEveryMs).unref();
    const stillHere = this.#encoder.encode(': still here\n\n');
    this.#comments ??= setInterval(() => this.#write(stillHere), UP_LIMITS.eventCommentEveryMs).unref();
  }

  #end(reader: Reader): void {
    this.#leave(reader);
    reader.close();
  }

  #leave(reader: Reader): void {
    this.#readers.get(reader)?.stopWaiting();
    this.#readers.delete(reader);
    if (!this.#hasReaderOfCalls()) {
      clearInterval(this.#audit);
      this.#audit = undefined;
    }
    if (this.#readers.size > 0) return;
    clearInterval(this.#comments);
    this.#comments = undefined;
  }

  #sendAudit(): void {
    const { items, dropped } = this.#ended.take();
    if (items.length > 0) this.#sendText('audit.appended', `{"items":[${items.join(',')}],"dropped":${dropped}}`);
  }
}
