import type { CancelSignal } from '../../contract/cancellation.ts';
import type { TransportKind, UpstreamError } from '../../wire/upstream.ts';

/** Transfers the messages of one connection as bytes; knows nothing of ids, methods and revisions. */
export interface Transport {
  readonly kind: TransportKind;
  /** True: the answer arrives on the stream of its request, and `send` resolves when that stream ends. */
  readonly answersOnOwnStream: boolean;
  /** Gets messages outside of any request's stream. */
  onMessage: (bytes: Uint8Array) => void;
  /** A message was too large to buffer; returns false if the request that it answers is unknown. */
  onOversized: (head: Uint8Array, tail: Uint8Array) => boolean;
  /** The transport was lost; called at most once, and never after `close()`. */
  onClose: (error: UpstreamError) => void;
  /** The last line that is no message, if no message followed it; masked. */
  readonly noise?: string | undefined;
  /** How long to stop reading after a chunk of this size; meanwhile the sender waits. */
  restMs: (bytes: number) => number;
  start(signal: AbortSignal): Promise<void>;
  send(bytes: Uint8Array, exchange?: Exchange): Promise<void>;
  close(): Promise<void>;
}

/** The options of sending a request. */
export interface Exchange {
  /** HTTP: this request starts a session, so it sends no session id, and the response may contain one. */
  readonly beginsSession?: boolean;
  /** Headers of this request alone (HTTP). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the exchange; the transport's result is then ignored. */
  readonly signal: CancelSignal;
  readonly answerBytesMax: number;
  /** Wraps the time in which a person is asked, which does not count against deadlines. */
  readonly whileWaiting: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * A message on this request's stream; `isLast` if none can follow. Returns false if it answers another request: then its connection is
   * not reused.
   */
  readonly onMessage: (bytes: Uint8Array, isLast?: boolean) => boolean;
  /** The answer has arrived: the stream may be closed. */
  readonly answered: () => boolean;
}
