import { BinderyError } from './errors.ts';
import { LIMITS } from './limits.ts';

export interface BodyLimits {
  /** Memory of all incomplete bodies. */
  readonly bodiesBytesMax: number;
  /** Deadline for a body to arrive. */
  readonly bodyArrivesMs: number;
  /** How long a body may pause while others wait for its memory. */
  readonly bodyPausesMs: number;
}

/**
 * The incomplete bodies of requests. Their total memory is limited: if none is left, the oldest body is dropped, so that senders
 * who never finish do not block others. Each body has a deadline.
 */
export class IncomingBodies {
  readonly #limits: BodyLimits;
  /** Oldest first. */
  readonly #open = new Set<IncomingBody>();
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: BodyLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Memory in use, and the number of bodies that use it. */
  get taken(): { readonly bytes: number; readonly bodies: number } {
    return { bytes: this.#bytes, bodies: this.#open.size };
  }

  /** Begins a body of at most `bytesMax` bytes; calls `onGivenUp` with the reason if the body is dropped. */
  begin(bytesMax: number, onGivenUp: (error: BinderyError) => void, bytesDeclared = 0): IncomingBody {
    const body = new IncomingBody({
      bytesMax,
      bytesDeclared,
      onGivenUp,
      startedAt: performance.now(),
      reserve: (bytes) => this.#reserve(body, bytes),
      release: (bytes) => this.#release(body, bytes),
    });
    this.#open.add(body);
    this.#watch();
    return body;
  }

  /** Drops the bodies that pause. */
  giveUpStalled(): void {
    const before = performance.now() - this.#limits.bodyPausesMs;
    for (const body of this.#open) if (body.addedAt < before) body.giveUp(new BinderyError('TOO_MANY_BODIES'));
  }

  #reserve(body: IncomingBody, bytes: number): void {
    for (const oldest of this.#open) {
      if (this.#bytes + bytes <= this.#limits.bodiesBytesMax) break;
      if (oldest !== body) oldest.giveUp(new BinderyError('TOO_MANY_BODIES'));
    }
    if (this.#bytes + bytes > this.#limits.bodiesBytesMax) throw new BinderyError('TOO_MANY_BODIES');
    this.#bytes += bytes;
  }

  #release(body: IncomingBody, bytes: number): void {
    if (this.#open.delete(body)) this.#bytes -= bytes;
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer is enough: the oldest body has the earliest deadline. */
  #watch(): void {
    const [oldest] = this.#open;
    if (this.#timer !== undefined || !oldest) return;
    const leftMs = oldest.startedAt + this.#limits.bodyArrivesMs - performance.now();
    this.#timer = setTimeout(() => this.#giveUpLate(), Math.max(0, leftMs));
    // The timer must not keep the process alive; in a browser, timers are numbers.
    (this.#timer as { unref?(): void }).unref?.();
  }

  #giveUpLate(): void {
    this.#timer = undefined;
    const before = performance.now() - this.#limits.bodyArrivesMs;
    for (const body of this.#open) {
      if (body.startedAt > before) break;
      body.giveUp(new BinderyError('BODY_TIMED_OUT'));
    }
    this.#watch();
  }
}

interface BodyPorts {
  readonly bytesMax: number;
  /** What its sender declared; 0: nothing. */
  readonly bytesDeclared: number;
  readonly startedAt: number;
  readonly onGivenUp: (error: BinderyError) => void;
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
}

const NOTHING = new Uint8Array(0);
const FIRST_BYTES = 16 * 1024;

/** One body, copied into one buffer: many small pieces take no more memory than a few large ones. */
export class IncomingBody {
  readonly #ports: BodyPorts;
  #block = NOTHING;
  #length = 0;
  #isOver = false;
  #addedAt: number;

  constructor(ports: BodyPorts) {
    this.#ports = ports;
    this.#addedAt = ports.startedAt;
  }

  /** When the last piece came. */
  get addedAt(): number {
    return this.#addedAt;
  }

  get startedAt(): number {
    return this.#ports.startedAt;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a piece. Throws, and accepts no more, if the body is too large or there is no memory for it. */
  add(piece: Uint8Array): void {
    if (this.#isOver) return;
    const length = this.#length + piece.byteLength;
    try {
      if (length > this.#ports.bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
      if (length > this.#block.byteLength) this.#grow(length);
    } catch (thrown) {
      this.drop();
      throw thrown;
    }
    this.#block.set(piece, this.#length);
    this.#addedAt = performance.now();
    this.#length = length;
  }

  /** The whole body. */
  end(): Uint8Array {
    const whole = this.#block.subarray(0, this.#length);
    this.drop();
    return whole;
  }

  /** Stops and frees the memory. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ports.release(this.#block.byteLength);
    this.#block = NOTHING;
  }

  giveUp(error: BinderyError): void {
    this.drop();
    this.#ports.onGivenUp(error);
  }

  #grow(length: number): void {
    // One block for the declared length: blocks that double leave as much garbage. Only pages that are written use memory.
    const wanted = this.#ports.bytesDeclared || Math.max(2 * this.#block.byteLength, FIRST_BYTES);
    const bytes = Math.max(length, Math.min(wanted, this.#ports.bytesMax));
    this.#ports.reserve(bytes - this.#block.byteLength);
    const block = new Uint8Array(bytes);
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}

/** The bodies of this process: all edges share this memory limit. */
export const incomingBodies = new IncomingBodies();

/** The part of a Node request that `leaveBody` needs. */
interface LeftRequest {
  readonly socket: { destroy(): unknown };
  resume(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Discards the rest of a dropped body, and closes its connection soon after, so that the sender can read the answer. */
export function leaveBody(request: LeftRequest): void {
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), LIMITS.lingerMs);
  request.once('close', () => clearTimeout(timer));
}

/** Reads a web stream to its end. */
export async function collectStream(stream: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  if (!stream) return NOTHING;
  const reader = stream.getReader();
  let failure: BinderyError | undefined;
  const body = incomingBodies.begin(bytesMax, (error) => {
    failure = error;
    // The read in progress ends with it.
    reader.cancel(error).catch(() => {});
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (failure) throw failure;
      if (done) return body.end();
      body.add(value);
    }
  } catch (thrown) {
    reader.cancel(thrown).catch(() => {});
    throw thrown;
  } finally {
    body.drop();
  }
}
