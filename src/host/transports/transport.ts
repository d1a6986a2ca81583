import type { CancelSignal } from '../../contract/cancellation.ts';
import type { TransportKind, UpstreamError } from '../../wire/upstream.ts';

/** Moves messages of one connection as bytes. It knows no ids, no methods and no revisions. */
export interface Transport {
  readonly kind: TransportKind;
  /** True: the answer comes on the stream of its own request, and `send` resolves when that stream has ended. */
  readonly answersOnOwnStream: boolean;
  /** Messages that came outside of any request's stream. */
  onMessage: (bytes: Uint8Array) => void;
  /** A message was too large to keep; false if it is unknown which request it answers. */
  onOversized: (head: Uint8Array, tail: Uint8Array) => boolean;
  /** The transport is gone by itself; at most once, never after `close()`. */
  onClose: (error: UpstreamError) => void;
  /** How long nothing is read after so many bytes at once; what it sends meanwhile waits. */
  restMs: (bytes: number) => number;
  start(signal: AbortSignal): Promise<void>;
  send(bytes: Uint8Array, exchange?: Exchange): Promise<void>;
  close(): Promise<void>;
}

/** What the sending of a request needs besides its bytes. */
export interface Exchange {
  /** HTTP: this request begins a session, so it carries none, and the response may name one. */
  readonly beginsSession?: boolean;
  /** Headers of this request alone (HTTP). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the exchange; how the transport then settles is ignored. */
  readonly signal: CancelSignal;
  readonly answerBytesMax: number;
  /** Time during which a person is asked does not count. */
  readonly whileWaiting: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * A message on this request's own stream; the last one if nothing can come after it. False: it answers another request, so the
   * connection that it came on is not used again.
   */
  readonly onMessage: (bytes: Uint8Array, isLast?: boolean) => boolean;
  /** The answer has arrived: the stream may be left. */
  readonly answered: () => boolean;
}
