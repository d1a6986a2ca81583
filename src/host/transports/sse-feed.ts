import { type SseEvent, SseEventTooLarge, SseParser } from '../../wire/sse-parser.ts';
import { type BodySink, tooLarge } from './http-exchange.ts';

export interface SseFeedOptions {
  readonly bytesMax: number;
  readonly onEvent: (event: SseEvent) => void;
  /** Where a stream is taken up again. */
  readonly lastEventId?: string | undefined;
  /** How long nothing is read after so many bytes at once. */
  readonly restMs: (bytes: number) => number;
}

/** An event stream as a sink: keeps what is needed to resume it. */
export class SseFeed implements BodySink {
  retryMs: number | undefined;
  /** Whether any event came. */
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
      // Events hold on to what they were read from.
      this.#parser.push(Buffer.from(chunk));
    } catch (thrown) {
      throw thrown instanceof SseEventTooLarge ? tooLarge(this.#bytesMax) : thrown;
    }
  }
}
