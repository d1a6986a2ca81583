import { send } from './api.ts';

/** The result of verifying an export in this browser. */
export interface Verified {
  readonly records: number;
  readonly chains: readonly {
    readonly chain: string;
    readonly first: number;
    readonly last: number;
    readonly head: string;
  }[];
  readonly bad:
    | { readonly chain: string; readonly seq: number; readonly reason: 'form' | 'hash' | 'link' | 'gap' | 'beginning' }
    | undefined;
}

interface Chain {
  first: number;
  last: number;
  head: string;
  /** The values that a checkpoint must have for the records before the first; undefined: the chain is complete from its beginning. */
  missing: { readonly seq: number; readonly hash: string } | undefined;
}

interface Parsed {
  readonly text: string;
  readonly hash: string;
  readonly record: {
    readonly chain: string;
    readonly seq: number;
    readonly prev_hash: string;
    readonly checkpoint?: { readonly through_seq: number; readonly through_hash: string };
  };
}

const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;
const GENESIS = '0'.repeat(64);
const BATCH = 200;

/** Checks each hash and each link with WebCrypto; it does not rely on the server. */
export class ChainVerifier {
  readonly #chains = new Map<string, Chain>();
  #records = 0;
  #bad: Verified['bad'];

  /** False: a record is wrong; later records are not checked. */
  async take(lines: readonly string[]): Promise<boolean> {
    const parsed = lines.map(parseLine);
    const hashes = await Promise.all(parsed.map((one) => (one ? sha256(one.text) : undefined)));
    for (const [index, one] of parsed.entries()) {
      if (!one) return this.#refuse('?', this.#records + 1, 'form');
      const { chain, seq } = one.record;
      if (hashes[index] !== one.hash) return this.#refuse(chain, seq, 'hash');
      if (!this.#link(one)) return false;
      this.#records += 1;
    }
    return true;
  }

  report(): Verified {
    const open = [...this.#chains].find(([, { missing }]) => missing !== undefined);
    return {
      records: this.#records,
      chains: [...this.#chains].map(([chain, { first, last, head }]) => ({ chain, first, last, head })),
      bad: this.#bad ?? (open ? { chain: open[0], seq: open[1].first, reason: 'beginning' } : undefined),
    };
  }

  #link({ hash, record }: Parsed): boolean {
    const { chain, seq, prev_hash, checkpoint } = record;
    const known = this.#chains.get(chain);
    if (!known) {
      const isBeginning = seq === 1 && prev_hash === GENESIS;
      const missing = isBeginning ? undefined : { seq: seq - 1, hash: prev_hash };
      this.#chains.set(chain, { first: seq, last: seq, head: hash, missing });
    } else {
      if (seq !== known.last + 1) return this.#refuse(chain, seq, 'gap');
      if (prev_hash !== known.head) return this.#refuse(chain, seq, 'link');
      known.last = seq;
      known.head = hash;
    }
    const current = this.#chains.get(chain);
    const vouched = current?.missing;
    if (current && vouched && checkpoint?.through_seq === vouched.seq && checkpoint.through_hash === vouched.hash)
      current.missing = undefined;
    return true;
  }

  #refuse(chain: string, seq: number, reason: NonNullable<Verified['bad']>['reason']): false {
    this.#bad ??= { chain, seq, reason };
    return false;
  }
}

function parseLine(line: string): Parsed | undefined {
  const [, text, hash] = LINE.exec(line) ?? [];
  if (text === undefined || hash === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(`${text}}`);
    const isRecord =
      typeof record === 'object' &&
      record !== null &&
      'chain' in record &&
      typeof record.chain === 'string' &&
      'seq' in record &&
      Number.isSafeInteger(record.seq) &&
      'prev_hash' in record &&
      typeof record.prev_hash === 'string';
    return isRecord ? { text: `${text}}`, hash, record: record as Parsed['record'] } : undefined;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Streams the whole export and verifies it. */
export async function verifyExport(onProgress: (records: number) => void, signal: AbortSignal): Promise<Verified> {
  const response = await send('/v1/audit/export', { signal, headers: { accept: 'application/x-ndjson' } });
  const verifier = new ChainVerifier();
  let waiting: string[] = [];
  let done = 0;
  const flush = async () => {
    const isGood = await verifier.take(waiting);
    done += waiting.length;
    waiting = [];
    onProgress(done);
    return isGood;
  };
  for await (const line of linesOf(response)) {
    waiting.push(line);
    if (waiting.length >= BATCH && !(await flush())) return verifier.report();
  }
  await flush();
  return verifier.report();
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel();
  }
}
