import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hono } from 'hono';
import { withBaseUrl } from '../../../civic/failures.ts';
import type { LinkProbe } from '../../../civic/lifecycle/visit-link.ts';
import { reviewOperations } from '../../../civic/review/operations.ts';
import { scrubSubmission } from '../../../civic/scrub/scrub-submission.ts';
import { createWriteDeps, recover, type WriteSettings } from '../../../civic/submissions/create-write-deps.ts';
import type { Desk } from '../../../civic/submissions/desk.ts';
import { submissionOperations } from '../../../civic/submissions/operations.ts';
import type { WriteDeps } from '../../../civic/submissions/write-deps.ts';
import { trustProxies } from '../../../civic/trust/client-address.ts';
import { Salts } from '../../../civic/trust/salts.ts';
import { bindRoom, type Room } from '../../../contract/operation.ts';
import type { Log, Random } from '../../../contract/ports.ts';
import { createHttpApp } from '../../../http/app.ts';
import { WatchedCorpus } from '../../corpus/watched-corpus.ts';
import { corpusFiles } from '../corpus-files.ts';
import { openCivicStore, openMemoryStore } from '../open-civic-store.ts';
import { SAMPLE_CORPUS } from './sample-corpus.ts';

export const MAINTAINER = 'maintainer-token';
export const PROBE = 'probe-token';
export const START = Date.parse('2026-11-02T12:00:00.000Z');
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface WriteRoomOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly proxies?: readonly string[];
  readonly clientHeader?: string;
  readonly linkProbe?: LinkProbe;
  /** Stores the data on disk, in this folder. */
  readonly dataDir?: string;
  readonly corpusDir?: string;
  readonly git?: boolean;
  /** Commits the files first, and builds these settings for the folder. */
  readonly settings?: (
    corpusDir: string,
  ) => Pick<WriteSettings, 'proposals' | 'publish' | 'inTheWay' | 'findPrints' | 'history'>;
  readonly sign?: boolean;
  readonly now?: number;
  /** Seed of all randomness; absent: a different one per room. */
  readonly seed?: string;
  readonly scrub?: Desk['scrub'];
  readonly detectors?: Desk['detectors'];
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes.
  readonly body: any;
  readonly headers: Headers;
}

export interface WriteRoom {
  readonly app: Hono;
  readonly deps: WriteDeps;
  readonly corpusDir: string;
  readonly log: string[];
  /** `from`: the address of the socket. */
  post(path: string, body: unknown, from?: string, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  review(path: string, body?: unknown): Promise<Answer>;
  /** Moves the clock by milliseconds and runs what is due. */
  wait(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** The write side behind its routes, on its own folder, with a stopped clock. */
export async function createWriteRoom(options: WriteRoomOptions = {}): Promise<WriteRoom> {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-write-'));
  const corpusDir = options.corpusDir ?? join(scratch, 'corpus');
  if (!options.corpusDir) writeFiles(corpusDir, options.files ?? SAMPLE_CORPUS);
  if (options.git) {
    const git = (...args: string[]) => execFileSync('git', ['-C', corpusDir, ...args]);
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git(
      '-c',
      'user.name=keeper',
      '-c',
      'user.email=keeper@localhost',
      'commit',
      '--quiet',
      '--message',
      'Add the corpus',
    );
  }
  const opened = options.dataDir ? openCivicStore(options.dataDir) : openMemoryStore();
  const clock = movableClock(options.now ?? START);
  const log: string[] = [];
  const corpus = new WatchedCorpus({
    dir: corpusDir,
    log: memoryLog(log),
    commits: { sign: options.sign },
    context: () => ({ generatedAt: () => new Date(clock.now()).toISOString() }),
  });
  const random = seededRandom(options.seed ?? scratch);
  const pepper = createHash('sha256').update('pepper').digest();
  const salts = new Salts({ store: opened.salts, random, clock, pepper });
  const desk = {
    store: opened.store,
    salts,
    files: corpusFiles(corpusDir, corpus),
    hasProvider: (id: string) => id === 'lingua',
    scrub: options.scrub ?? scrubSubmission,
    detectors: options.detectors ?? [],
    clock,
    random,
    log: memoryLog(log),
  };
  const deps = createWriteDeps(desk, {
    proxies: trustProxies(options.proxies ?? [], options.clientHeader),
    maintainerTokens: () => [MAINTAINER],
    probeToken: PROBE,
    testClock: clock,
    linkProbe: options.linkProbe,
    ...options.settings?.(corpusDir),
    baseUrl: () => 'http://127.0.0.1:7717',
  });
  await recover(deps);
  const operations = withBaseUrl([...submissionOperations, ...reviewOperations], deps.baseUrl);
  const room: Room<WriteDeps> = { name: 'civic', summary: 'the write side', operations };
  let requests = 0;
  const app = createHttpApp({
    rooms: [bindRoom(room, deps)],
    version: '0',
    log: memoryLog(log),
    newRequestId: () => `r${++requests}`,
    peerAddress: ({ env }) => (env as { socket?: string } | undefined)?.socket ?? '203.0.113.1',
  });
  return { ...driver(app, clock), deps, corpusDir, log, close };

  async function close(): Promise<void> {
    await corpus.close();
    await deps.endJobs();
    opened.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function driver(app: Hono, clock: { now(): number }) {
  const send = async (method: string, path: string, body: unknown, headers: Record<string, string>, from?: string) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: asText(body) }) };
    const response = await app.request(path, init, { socket: from });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  };
  const json = { 'content-type': 'application/json' };
  const authorization = `Bearer ${MAINTAINER}`;
  return {
    app,
    post: (path: string, body: unknown, from = '203.0.113.1', headers: Record<string, string> = {}) =>
      send('POST', path, body, { ...json, ...headers }, from),
    get: (path: string, headers: Record<string, string> = {}) => send('GET', path, undefined, headers),
    review: (path: string, body?: unknown) => send(body ? 'POST' : 'GET', path, body, { ...json, authorization }),
    wait: async (ms: number) => {
      const now = new Date(clock.now() + ms).toISOString();
      const answer = await send('PUT', '/v1/test/clock', { now }, json);
      if (answer.status !== 200) throw new Error(`the clock did not move: ${JSON.stringify(answer.body)}`);
    },
  };
}

function asText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

export function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

export function movableClock(start: number) {
  let now = start;
  return {
    now: () => now,
    moveTo: (instant: number) => {
      now = instant;
    },
  };
}

/** Pseudo-random bytes, equal for equal seeds. */
export function seededRandom(seed: string): Random {
  let count = 0;
  return {
    bytes: (length) => {
      const blocks = Array.from({ length: Math.ceil(length / 32) }, () =>
        createHash('sha256').update(`${seed}/${count++}`).digest(),
      );
      return Buffer.concat(blocks).subarray(0, length);
    },
  };
}

function memoryLog(lines: string[]): Log {
  const at = (level: string) => (message: string, fields?: object) => {
    const error = (fields as { error?: Error } | undefined)?.error;
    lines.push(
      JSON.stringify({ level, message, ...fields, ...(error ? { error: String(error.stack ?? error) } : {}) }),
    );
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
