/** Random numbers that can be had again: a failing input is found by its seed and its place. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const METHODS = [
  'ping',
  'initialize',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'tasks/get',
  'constructor',
  '__proto__',
  '',
];
const NAMES = [
  'pipe__echo',
  'pipe__unknown',
  'find_tools',
  'call_tool',
  '__proto__',
  'constructor',
  '',
  '\u0000',
  '💥',
];
const TEXTS = ['', 'a', '\u2028', '\ud800', 'x'.repeat(300), '../../etc/passwd', 'bs1.x.y', '💥', '"', '\\', '\n'];

/** Inputs that a client should never send, and some that it may: mixed and then damaged. */
export class HostileInput {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  get chance(): number {
    return this.#random();
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  /** The bytes of one message, or of what is none. */
  body(): Buffer {
    const kind = this.#random();
    if (kind < 0.1) return this.#noise();
    if (kind < 0.15)
      return Buffer.from(this.pick(['[', '{"a":', '[[', '{"params":']).repeat(1 + Math.floor(this.#random() * 5_000)));
    const text = this.#text(this.#message());
    if (kind < 0.2)
      return Buffer.from(`[${Array.from({ length: Math.floor(this.#random() * 60) }, () => text).join(',')}]`);
    return kind < 0.75 ? Buffer.from(text) : this.#damaged(Buffer.from(text));
  }

  value(depth = 0): unknown {
    const kind = this.#random();
    if (kind < 0.25) return this.pick(TEXTS);
    if (kind < 0.4) return this.pick([0, -1, 1.5, 1e308, 2 ** 53 + 2, -0]);
    if (kind < 0.5) return this.pick([true, false, null]);
    if (depth > 3) return {};
    if (kind < 0.65) return Array.from({ length: Math.floor(this.#random() * 4) }, () => this.value(depth + 1));
    const names = [
      'name',
      'uri',
      'arguments',
      '_meta',
      'progressToken',
      'cursor',
      'ref',
      'level',
      'message',
      '__proto__',
      '',
    ];
    return Object.fromEntries(
      Array.from({ length: Math.floor(this.#random() * 5) }, () => [this.pick(names), this.value(depth + 1)]),
    );
  }

  #message(): Record<string, unknown> {
    const modern = {
      'io.modelcontextprotocol/protocolVersion': this.pick<unknown>(['2026-07-28', '2026-07-28', '2099-01-01', 7]),
      'io.modelcontextprotocol/clientCapabilities': this.pick<unknown>([{}, {}, { elicitation: {} }, 'none']),
    };
    const params: Record<string, unknown> = {
      name: this.pick(NAMES),
      arguments: this.pick<unknown>([{ message: 'hi' }, this.value()]),
      ...(this.#random() < 0.5
        ? { _meta: this.pick<unknown>([modern, modern, { progressToken: 1 }, this.value()]) }
        : {}),
      ...(this.#random() < 0.2
        ? { [this.pick(['uri', 'cursor', 'requestState', 'inputResponses', 'notifications'])]: this.value() }
        : {}),
    };
    return {
      jsonrpc: this.pick<unknown>(['2.0', '2.0', '2.0', '2.0', '2.0', '2.0', '2.0', '2.0', '1.0', 2]),
      ...(this.#random() < 0.8
        ? { id: this.pick<unknown>([1, 2, 3, 'a', 'b', '💥', 1, 'c', 2 ** 53, 1.5, null, {}, this.value()]) }
        : {}),
      ...(this.#random() < 0.9
        ? { method: this.pick<unknown>([...METHODS, 'tools/call', 'tools/call', this.value()]) }
        : {}),
      ...(this.#random() < 0.9 ? { params: this.pick<unknown>([params, params, params, this.value()]) } : {}),
      ...(this.#random() < 0.05 ? { result: this.value() } : {}),
      ...(this.#random() < 0.05 ? { error: this.value() } : {}),
    };
  }

  /** JSON with what `JSON.stringify` never writes: repeated members and room between tokens. */
  #text(message: Record<string, unknown>): string {
    const text = JSON.stringify(message);
    if (this.#random() < 0.05) return text.replace('{', `{"${this.pick(['id', 'method', 'params', 'jsonrpc'])}":1,`);
    return this.#random() < 0.05 ? text.replaceAll(':', ' : ') : text;
  }

  #damaged(bytes: Buffer): Buffer {
    const damaged = Buffer.from(bytes);
    for (let times = 1 + Math.floor(this.#random() * 4); times > 0 && damaged.length > 0; times -= 1)
      damaged[Math.floor(this.#random() * damaged.length)] = Math.floor(this.#random() * 256);
    return this.#random() < 0.3 ? damaged.subarray(0, Math.floor(this.#random() * damaged.length)) : damaged;
  }

  #noise(): Buffer {
    return Buffer.from(
      Array.from({ length: Math.floor(this.#random() * 200) }, () => Math.floor(this.#random() * 256)),
    );
  }
}
