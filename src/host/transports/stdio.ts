import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { LineSplitter } from '../../wire/line-splitter.ts';
import { oneLine } from '../../wire/one-line.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import type { Redact } from '../connection/ports.ts';
import type { StdioSpec } from '../connection/supervision/server-set.ts';
import { ByteBudget } from './byte-budget.ts';
import { type Environment, minimalEnvironment, pathOutside } from './minimal-environment.ts';
import { setBackground, signalGroup } from './process-group.ts';
import type { ProcessSpawner } from './process-spawner.ts';
import { CommandNotFound, resolveCommand } from './resolve-command.ts';
import type { ServerCommand, ServerProcess } from './server-process.ts';
import { lastWords, StderrTail } from './stderr-tail.ts';
import { StdoutNoise } from './stdout-noise.ts';
import type { Exchange, Transport } from './transport.ts';

export interface StdioPorts {
  readonly environment: Environment;
  readonly spawner: ProcessSpawner;
  readonly redact: Redact;
}

const NEWLINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);
const MESSAGE_SIGN = Buffer.from('"jsonrpc"');
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** A server as a child process in its own process group: one message per line on stdin and stdout. */
export class StdioTransport implements Transport {
  readonly kind = 'stdio';
  readonly answersOnOwnStream = false;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  readonly #spec: StdioSpec;
  readonly #ports: StdioPorts;
  readonly #stderr = new StderrTail(LIMITS.stderrBytesMax);
  readonly #noise = new StdoutNoise();
  readonly #exited: Promise<void>;
  readonly #isBackground: boolean;
  #sayExited = () => {};
  #starting: Promise<ServerProcess> | undefined;
  #process: ServerProcess | undefined;
  #closing = false;
  /** Ignore all further output. */
  #over = false;

  /** With `isBackground`, the process has low CPU priority until `markHealthy`. */
  constructor(spec: StdioSpec, ports: StdioPorts, isBackground = false) {
    this.#exited = new Promise((resolve) => {
      this.#sayExited = resolve;
    });
    this.#spec = spec;
    this.#ports = ports;
    this.#isBackground = isBackground;
  }

  /** The end of the server's stderr, masked, and the last lines on its stdout that are no messages. */
  get stderr(): string {
    return this.#ports.redact(this.#noise.after(this.#stderr.text()));
  }

  get noise(): string | undefined {
    const { last } = this.#noise;
    return last && this.#ports.redact(last);
  }

  async start(): Promise<void> {
    await this.#makeOwnCwd();
    const tooLarge = () =>
      this.#fail(new UpstreamError('too_large', `the server sent a line of more than ${LIMITS.messageBytesMax} bytes`));
    const errorBudget = new ByteBudget(LIMITS.stderrBurstBytes, LIMITS.stderrBytesPerSecond);
    /** If the start of an oversized answer contains its id, its request fails before the answer ends. */
    let isToldEarly = false;
    const lines = new LineSplitter({
      lineBytesMax: LIMITS.messageBytesMax,
      endlessBytes: LIMITS.endlessLineBytes,
      onLine: (line) => this.#onLine(line),
      onTooLong: (head) => {
        isToldEarly = this.onOversized(head, NOTHING);
      },
      onOversized: ({ head, tail }) => {
        if (!isToldEarly && !this.onOversized(head, tail)) tooLarge();
      },
      onEndless: tooLarge,
    });
    this.#starting = this.#ports.spawner.start(this.#command(), {
      onOutput: (chunk) => {
        if (!this.#over) lines.push(chunk);
      },
      // Do not throttle while dropping a line: the sooner it ends, the sooner the answers behind it arrive.
      restMs: (bytes) => (lines.isDropping ? 0 : this.restMs(bytes)),
      errorRestMs: (bytes) => errorBudget.take(bytes),
      isNoisy: () => !lines.isDropping && this.restMs(LIMITS.noisyPieceBytes) > 0,
      onErrorOutput: (chunk) => this.#stderr.push(chunk),
      onEnd: (code, signal) => this.#end(code, signal),
    });
    try {
      this.#process = await this.#starting;
    } catch (thrown) {
      this.#over = true;
      throw this.#startFailure(thrown as Error);
    }
  }

  /** The server works: gives it normal CPU priority. */
  markHealthy(): void {
    if (this.#isBackground && this.#process && !this.#over) setBackground(this.#process.pid, false);
  }

  async send(bytes: Uint8Array, _exchange?: Exchange): Promise<void> {
    const stdin = this.#process?.stdin;
    if (this.#over || !stdin?.writable) throw this.#lost('the server has ended');
    if (stdin.writableLength > LIMITS.unreadInputBytesMax) throw this.#lost('the server does not read its input');
    stdin.cork();
    stdin.write(oneLine(bytes));
    stdin.write(NEWLINE);
    process.nextTick(() => stdin.uncork());
  }

  async close(): Promise<void> {
    this.#closing = true;
    // If it is still starting, wait so that it can be ended.
    const server = await this.#starting?.catch(() => undefined);
    if (server === undefined) return;
    const { pid } = server;
    if (!this.#over) {
      server.stdin.end();
      await this.#within(LIMITS.stdinCloseGraceMs);
    }
    // Even after a clean exit, descendants may be left.
    if (signalGroup(pid, 'SIGTERM')) {
      await this.#groupGone(pid, LIMITS.terminateGraceMs);
      signalGroup(pid, 'SIGKILL');
      await this.#within(LIMITS.terminateGraceMs);
    }
    this.#ports.spawner.forget(pid);
  }

  async #makeOwnCwd(): Promise<void> {
    const { isOwnCwd, cwd } = this.#spec;
    if (!isOwnCwd) return;
    try {
      await mkdir(cwd, { recursive: true, mode: 0o700 });
    } catch (thrown) {
      throw this.#startFailure(new Error(`its folder ${cwd} cannot be made`, { cause: thrown }));
    }
  }

  #command(): ServerCommand {
    const { command, args = [], cwd } = this.#spec;
    const environment = this.#environment();
    try {
      const world = { platform: process.platform, cwd, env: environment, exists: existsSync };
      const resolved = { ...resolveCommand(command, args, world), cwd, env: environment };
      return this.#isBackground ? { ...resolved, isBackground: true } : resolved;
    } catch (thrown) {
      throw this.#startFailure(thrown as Error);
    }
  }

  #environment(): Record<string, string> {
    const { env = {}, untrustedDir } = this.#spec;
    const { platform } = process;
    const parent = this.#ports.environment;
    const inherited = untrustedDir === undefined ? parent : pathOutside(parent, untrustedDir, platform);
    return minimalEnvironment(inherited, env, platform);
  }

  #onLine(line: Buffer): void {
    if (this.#over) return;
    if (line[0] === OPEN_BRACE || line[0] === OPEN_BRACKET) {
      // A log line in JSON is passed on as well, in case its name is spelt with escapes.
      if (line.includes(MESSAGE_SIGN)) this.#noise.last = undefined;
      else this.#noise.isFlooding(line);
      this.#pass(line);
      return;
    }
    // Some servers print greetings and logs to stdout; tolerate that.
    if (this.#noise.isFlooding(line))
      this.#fail(new UpstreamError('bad_answer', 'the server floods its stdout with lines that are no messages'));
  }

  /** An error while handling a message closes this connection, and never ends the process. */
  #pass(line: Buffer): void {
    try {
      // A copy, because the splitter reuses its buffer.
      this.onMessage(Buffer.from(line));
    } catch (cause) {
      this.#fail(new UpstreamError('bad_answer', 'the server sent a message that cannot be processed', { cause }));
    }
  }

  #end(code: number | null, signal: string | null): void {
    this.#sayExited();
    if (this.#over) return;
    this.#over = true;
    if (this.#closing) return;
    const pid = this.#process?.pid;
    if (pid !== undefined) {
      signalGroup(pid, 'SIGKILL');
      this.#ports.spawner.forget(pid);
    }
    const how = signal ?? (code === null ? undefined : `exit code ${code}`);
    this.onClose(this.#lost(how === undefined ? 'the server ended' : `the server ended with ${how}`));
  }

  /** Closes the connection because of the server's behaviour; leaves its further output unread. */
  #fail(error: UpstreamError): void {
    if (this.#over || this.#closing) return;
    this.#over = true;
    this.#process?.stopReading();
    this.onClose(error);
    this.close().catch(() => {});
  }

  #lost(what: string): UpstreamError {
    const tail = lastWords(this.#ports.redact(this.#stderr.text()));
    const { first } = this.#noise;
    const said = tail || (first === undefined ? '' : this.#ports.redact(first));
    return new UpstreamError('lost', said === '' ? what : `${what}; it said: ${said}`);
  }

  #startFailure(error: Error): UpstreamError {
    const code = (error as NodeJS.ErrnoException).code;
    const searched = this.#environment().PATH ?? '';
    const why =
      error instanceof CommandNotFound
        ? error.message
        : code === 'ENOENT'
          ? `${this.#spec.command} was not found (or its folder is missing; searched ${searched})`
          : (code ?? error.message);
    return new UpstreamError('refused', `cannot start the server: ${this.#ports.redact(why)}`, { cause: error });
  }

  async #within(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#exited, timeout]);
    clearTimeout(timer);
  }

  async #groupGone(pid: number, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until && signalGroup(pid, 0)) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
