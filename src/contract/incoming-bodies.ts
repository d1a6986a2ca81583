import { BinderyError } from './errors.ts';
import { LIMITS } from './limits.ts';

export interface BodyLimits {
  /** Memory of all bodies that have not arrived whole. */
  readonly bodiesBytesMax: number;
  /** Time in which a body has to arrive. */
  readonly bodyArrivesMs: number;
}

/**
 * The bodies of requests that have not arrived whole. Together they take a bounded amount of memory: where there is none left, the
 * oldest is given up, so that senders who never finish do not keep out those who do. Each has a bounded time.
 */
export class IncomingBodies {
  readonly #limits: BodyLimits;
  /** The oldest stands first. */
  readonly #open = new Set<IncomingBody>();
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: BodyLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Memory that is taken now, and bodies that take it. */
  get taken(): { readonly bytes: number; readonly bodies: number } {
    return { bytes: this.#bytes, bodies: this.#open.size };
  }

  /** Begins a body of at most so many bytes; `onGivenUp` is called with the reason if the body is abandoned. */
  begin(bytesMax: number, onGivenUp: (error: BinderyError) => void): IncomingBody {
    const body = new IncomingBody({
      bytesMax,
      onGivenUp,
      startedAt: performance.now(),
      reserve: (bytes) => this.#reserve(body, bytes),
      release: (bytes) => this.#release(body, bytes),
    });
    this.#open.add(body);
    this.#watch();
    return body;
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
    // A process that has nothing else to do may end; where there is no process, timers are numbers.
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
  readonly startedAt: number;
  readonly onGivenUp: (error: BinderyError) => void;
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
}

const NOTHING = new Uint8Array(0);
const FIRST_BYTES = 16 * 1024;

/** One body, copied into one block: a sender of many small pieces takes no more memory than of a few large ones. */
export class IncomingBody {
  readonly #ports: BodyPorts;
  #block = NOTHING;
  #length = 0;
  #isOver = false;

  constructor(ports: BodyPorts) {
    this.#ports = ports;
  }

  get startedAt(): number {
    return this.#ports.startedAt;
  }

  /** Takes a piece. Throws, and takes nothing more, where the body is too large or there is no memory for it. */
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
    const wanted = Math.max(length, 2 * this.#block.byteLength, FIRST_BYTES);
    const bytes = Math.max(length, Math.min(wanted, this.#ports.bytesMax));
    this.#ports.reserve(bytes - this.#block.byteLength);
    const block = new Uint8Array(bytes);
    block.set(this.#block.subarray(0, this.#length));
    this.#block = block;
  }
}

/** Those of this process: every edge that takes bodies shares its memory. */
export const incomingBodies = new IncomingBodies();

/** What of a Node request is needed to leave it. */
interface LeftRequest {
  readonly socket: { destroy(): unknown };
  resume(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Throws away the rest of a body that was given up, and ends its connection soon: its sender gets to read why. */
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
    // What is being read ends with it.
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
