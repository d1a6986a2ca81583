import { type SseEvent, SseEventTooLarge, SseParser } from '../../wire/sse-parser.ts';
import { type BodySink, tooLarge } from './http-exchange.ts';

export interface SseFeedOptions {
  readonly bytesMax: number;
  readonly onEvent: (event: SseEvent) => void;
  /** Where to resume a stream. */
  readonly lastEventId?: string | undefined;
  /** How long to stop reading after a chunk of this size. */
  readonly restMs: (bytes: number) => number;
}

/** A sink for an event stream; keeps the state that is needed to resume it. */
export class SseFeed implements BodySink {
  retryMs: number | undefined;
  /** Whether any event has arrived. */
  fed = false;
  readonly #parser: SseParser;
  readonly #bytesMax: number;
  readonly restMs: (bytes: number) => number;

  constructor({ bytesMax, onEvent, lastEventId, restMs }: SseFeedOptions) {
    this.#bytesMax = bytesMax;
    this.restMs = restMs;
    this.#parser = new SseParser({
      eventBytesMax: bytesMax,
      onEvent: (event) => {
        this.fed = true;
        onEvent(event);
      },
      onRetry: (retryMs) => {
        this.retryMs = retryMs;
      },
    });
    this.#parser.lastEventId = lastEventId;
  }

  get lastEventId(): string | undefined {
    return this.#parser.lastEventId;
  }

  onChunk(chunk: Buffer): void {
    try {
      // A copy, because events reference the bytes that they were parsed from.
      this.#parser.push(Buffer.from(chunk));
    } catch (thrown) {
      throw thrown instanceof SseEventTooLarge ? tooLarge(this.#bytesMax) : thrown;
    }
  }
}
