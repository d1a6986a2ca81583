import type { Call } from '../../contract/operation.ts';
import { EVENT_NAMES, type EventName, type EventsWanted } from '../../gateway/operations/event-names.ts';
import { whenExpired } from '../../proxy/http/when-expired.ts';
import { UP_LIMITS } from '../limits.ts';

export interface EventStreamsOptions {
  /** The timestamp of events. */
  now(): string;
  /** Public names of the tools in these profiles. */
  toolNamesOf(profiles: readonly string[]): ReadonlySet<string>;
  /** A reader is about to join. */
  onJoin(wanted: EventsWanted): void;
  /** A reader joined or left. */
  onReaders(): void;
}

/** One stream. Its backlog is measured in bytes, since the size of events varies widely. */
type Reader = ReadableStreamDefaultController<Uint8Array>;

interface Subscription {
  readonly caller: string | undefined;
  readonly names: readonly EventName[];
  /** Stops the timer for the expiry of the reader's credential. */
  stopWaiting(): void;
  /** Filters an event for the reader; undefined: the reader does not get it. */
  filter(event: Uint8Array): Uint8Array | undefined;
}

/** Server-sent events for any number of readers, each filtered by credential and profiles. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #readers = new Map<Reader, Subscription>();
  readonly #encoder = new TextEncoder();
  readonly #kept = new KeptEvents();
  #comments: NodeJS.Timeout | undefined;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /**
   * The events with these names from now on, or after `lastEventId` if that event is still kept. The stream ends with the credential.
   * If `profiles` is given, only their events are sent. If a caller has too many streams, its oldest one ends.
   */
  stream(
    wanted: EventsWanted,
    { holding = {}, profiles, caller }: Pick<Call, 'holding' | 'profiles' | 'caller'> = {},
  ): ReadableStream<Uint8Array> {
    this.#makeRoom(caller);
    const { lastEventId, names = EVENT_NAMES } = wanted;
    const narrowed = profiles === undefined ? (event: Uint8Array) => event : this.#profileFilter(profiles);
    const filter = (event: Uint8Array) => (hasName(event, names) ? narrowed(event) : undefined);
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 0 });
    let reader: Reader;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = controller;
          this.#options.onJoin({ lastEventId, names });
          for (const event of this.#missed(lastEventId)) {
            const bytes = filter(event);
            if (bytes) controller.enqueue(bytes);
          }
          const stopWaiting = whenExpired(holding, () => this.#end(controller));
          this.#readers.set(controller, { caller, names, stopWaiting, filter });
          const stillHere = this.#encoder.encode(': still here\n\n');
          this.#comments ??= setInterval(() => this.#write(stillHere), UP_LIMITS.eventCommentEveryMs).unref();
          this.#options.onReaders();
        },
        cancel: () => this.#leave(reader),
      },
      strategy,
    );
  }

  /** Whether a reader wants events of this name. */
  hasReaderOf(name: EventName): boolean {
    return [...this.#readers.values()].some(({ names }) => names.includes(name));
  }

  /** Sends an event; its data is JSON. */
  send(event: EventName, data: string): void {
    const body = `{"time":${JSON.stringify(this.#options.now())},"data":${data}}`;
    this.#write(this.#kept.add((id) => this.#encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${body}\n\n`)));
  }

  close(): void {
    for (const reader of [...this.#readers.keys()]) this.#end(reader);
  }

  #makeRoom(caller: string | undefined): void {
    const own = [...this.#readers].filter(([, subscription]) => subscription.caller === caller);
    for (const [reader] of own.slice(0, Math.max(0, own.length + 1 - UP_LIMITS.eventStreamsPerCallerMax)))
      this.#end(reader);
  }

  /** The missed events, after a comment that confirms the connection; or `reset` if some were evicted. */
  #missed(lastEventId: string | undefined): Uint8Array[] {
    const connected = this.#encoder.encode(': connected\n\n');
    if (lastEventId === undefined) return [connected];
    const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const missed = this.#kept.after(seen);
    return missed
      ? [connected, ...missed]
      : [this.#encoder.encode(`id: ${this.#kept.lastId}\nevent: reset\ndata: {}\n\n`)];
  }

  #write(bytes: Uint8Array): void {
    for (const [reader, { filter }] of [...this.#readers]) {
      const filtered = filter(bytes);
      if (!filtered) continue;
      if ((reader.desiredSize ?? 0) < -UP_LIMITS.eventBytesBehindMax) this.#end(reader);
      else reader.enqueue(filtered);
    }
  }

  #profileFilter(profiles: readonly string[]): Subscription['filter'] {
    const decoder = new TextDecoder();
    const toolNames = () => this.#options.toolNamesOf(profiles);
    return (event) => {
      const filtered = narrowEvent(decoder.decode(event), profiles, toolNames);
      return filtered === undefined ? undefined : this.#encoder.encode(filtered);
    };
  }

  #end(reader: Reader): void {
    this.#leave(reader);
    reader.close();
  }

  #leave(reader: Reader): void {
    this.#readers.get(reader)?.stopWaiting();
    this.#readers.delete(reader);
    this.#options.onReaders();
    if (this.#readers.size > 0) return;
    clearInterval(this.#comments);
    this.#comments = undefined;
  }
}

interface KeptEvent {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The last events, for readers that reconnect; bounded in number and bytes. */
export class KeptEvents {
  #events: KeptEvent[] = [];
  #bytes = 0;
  #lastId = 0;

  get lastId(): number {
    return this.#lastId;
  }

  /** Stores the event that `write` creates with the next id, and returns it. An event above the byte limit is not kept. */
  add(write: (id: number) => Uint8Array): Uint8Array {
    this.#lastId += 1;
    const bytes = write(this.#lastId);
    this.#events.push({ id: this.#lastId, bytes });
    this.#bytes += bytes.length;
    let surplus = 0;
    while (this.#events.length - surplus > UP_LIMITS.eventsKeptMax || this.#bytes > UP_LIMITS.eventBytesKeptMax) {
      this.#bytes -= (this.#events[surplus] as KeptEvent).bytes.length;
      surplus += 1;
    }
    if (surplus > 0) this.#events = this.#events.slice(surplus);
    return bytes;
  }

  /** The events after the one with this id; undefined if some of them were evicted, or the id is unknown. */
  after(id: number): Uint8Array[] | undefined {
    const oldest = this.#events[0]?.id ?? this.#lastId + 1;
    if (id < oldest - 1 || id > this.#lastId) return undefined;
    return this.#events.slice(id - oldest + 1).map(({ bytes }) => bytes);
  }
}

/** Enough bytes for the id and the name of any event. */
const HEAD_BYTES = 64;

/** Whether an encoded event has one of the names. Comments and `reset` match always. */
function hasName(bytes: Uint8Array, names: readonly EventName[]): boolean {
  const [, name] = /^id: \d+\nevent: (\S+)\n/.exec(new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES))) ?? [];
  return name === undefined || name === 'reset' || names.some((one) => one === name);
}

/**
 * Filters an encoded event for a reader that is bound to profiles: only questions, calls and tools of those. Undefined: nothing is
 * left. Comments and `reset` pass unchanged.
 */
function narrowEvent(
  text: string,
  profiles: readonly string[],
  toolNames: () => ReadonlySet<string>,
): string | undefined {
  const [, head, name, json] = /^(id: \d+\nevent: (\S+)\n)data: (.*)\n\n$/s.exec(text) ?? [];
  if (name === undefined || json === undefined || name === 'reset') return text;
  const { time, data } = JSON.parse(json) as { time: string; data: Record<string, unknown> };
  const isTheirs = (item: unknown) => profiles.includes((item as { profile?: string }).profile ?? '');
  const write = (narrowed: object) => `${head}data: ${JSON.stringify({ time, data: narrowed })}\n\n`;
  switch (name) {
    case 'approval.created':
    case 'approval.decided':
      return isTheirs(data) ? text : undefined;
    case 'audit.appended': {
      const items = (data.items as unknown[]).filter(isTheirs);
      // Dropped calls may have been in these profiles.
      return items.length > 0 || data.dropped !== 0 ? write({ items, dropped: data.dropped }) : undefined;
    }
    case 'tools.changed': {
      const theirs = toolNames();
      return write({ names: (data.names as string[]).filter((tool) => theirs.has(tool)) });
    }
    default:
      return undefined;
  }
}
