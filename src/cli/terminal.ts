import { homedir } from 'node:os';
import type { Writable } from 'node:stream';
import type { BinderyError } from '../contract/errors.ts';
import { stillVisible, stillVisibleLine, visibleJson, visibleLine } from '../contract/visible-text.ts';
import { asTyped, type OwnProgram, ownProgram } from './own-program.ts';
import { type Colour, coloured, inColumns, tableWidth, textWidth, wrapped } from './terminal-text.ts';

/** A stream that may be a terminal, like Node's own. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Whether it shows colours; Node's streams check NO_COLOR and TERM. */
  readonly hasColors?: () => boolean;
};

export interface TerminalStreams {
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
}

/**
 * The output and the exit code of a command. Foreign text cannot control the terminal. Text with several lines of ours and foreign
 * values is written with `visible`, so that a value cannot look like a line of ours.
 */
export class Terminal {
  exitCode = 0;
  readonly signal: AbortSignal;
  /** Aborted on interrupt, and when the reader of the output closes its end. */
  readonly whileRead: AbortSignal;
  readonly #readerGone = new AbortController();
  readonly #program: Pick<OwnProgram, 'typed'>;
  readonly #streams: TerminalStreams;
  #progressShown = false;

  constructor(streams: TerminalStreams, signal: AbortSignal, program: Pick<OwnProgram, 'typed'> = ownProgram()) {
    this.#program = program;
    this.#streams = streams;
    this.signal = signal;
    this.whileRead = AbortSignal.any([signal, this.#readerGone.signal]);
  }

  /** Whether the output goes to a terminal. */
  get isPerson(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  /** Whether remarks and questions go to a terminal. */
  get hasWatcher(): boolean {
    return this.#streams.stderr.isTTY === true;
  }

  /** Text for a person. */
  out(text: string): Promise<void> {
    return this.#out(asTyped(stillVisible(text), this.#program));
  }

  /** Tab-separated lines: unchanged for a script, in columns below headings for a person. */
  async table(text: string, headings: readonly string[]): Promise<void> {
    const { stdout } = this.#streams;
    if (!stdout.isTTY || !text.includes('\t')) return this.out(text);
    const { heading, body } = inColumns(stillVisible(text), headings, tableWidth(stdout.columns));
    await this.#out(`${heading === '' ? '' : `${painted(stdout, 'bold', heading)}\n`}${body}`);
  }

  /** Text for programs: the same bytes everywhere, except that a terminal gets hidden characters in JSON escaped. */
  document(text: string): Promise<void> {
    return this.#out(this.#streams.stdout.isTTY ? visibleJson(text) : text);
  }

  /** Resolves when the stream has taken the text, so that a pipe does not lose its end. */
  async #out(text: string): Promise<void> {
    this.#clearProgress();
    const error = await write(this.#streams.stdout, text);
    if (!error) return;
    // A reader that closed its end (`| head`) has what it wanted.
    if (error.code !== 'EPIPE') throw error;
    this.#readerGone.abort();
  }

  /** If stderr is closed too, there is nowhere to report it. */
  async note(text: string): Promise<void> {
    this.#clearProgress();
    await write(this.#streams.stderr, asTyped(stillVisible(text), this.#program));
  }

  /** A problem that stops nothing. */
  warn(text: string): Promise<void> {
    return this.#remark('warning:', 'yellow', eachLine(text, visibleLine));
  }

  /** Prints the lines of a failure and sets the exit code. A person who cancelled gets only the current state. */
  async fail(error: BinderyError): Promise<void> {
    if (error.code === 'CANCELLED') {
      this.exitCode = error.row.exit;
      return this.note(`${stillVisibleLine(error.detail ?? error.row.title)}.\n`);
    }
    const detail = error.detail && error.detail !== error.row.title ? `: ${error.detail}` : '';
    await this.#remark('error:', 'red', withCode(`${error.row.title}${detail}`, error.code));
    const isDefect = error.code === 'INTERNAL' && error.cause !== undefined;
    if (isDefect) await this.#remark('cause:', 'red', stillVisibleLine(causeText(error.cause)));
    // A command has no log, and so no id to look up.
    await this.#remark('next:', 'cyan', isDefect ? REPORT_DEFECT : stillVisibleLine(error.next));
    this.exitCode = error.row.exit;
  }

  /** A labelled line on stderr, further lines indented; wrapped for a terminal. */
  async #remark(label: string, colour: Colour, text: string): Promise<void> {
    this.#clearProgress();
    const { stderr } = this.#streams;
    const lines = `${label} ${asTyped(text, this.#program)}`
      .split('\n')
      .map((line, at) => (at === 0 ? line : `  ${line}`));
    const width = textWidth(stderr.columns);
    const laidOut = stderr.isTTY ? lines.map((line) => indented(withTilde(line), width)) : lines;
    await write(stderr, `${painted(stderr, colour, label)}${laidOut.join('\n').slice(label.length)}\n`);
  }

  /** One line that is overwritten; only at a terminal. */
  progress(done: number, total?: number, message = ''): void {
    if (!this.#streams.stderr.isTTY) return;
    this.#progressShown = true;
    this.#streams.stderr.write(`\r\u001b[2K${visibleLine(message)} ${done}${total === undefined ? '' : `/${total}`}`);
  }

  #clearProgress(): void {
    if (this.#progressShown) this.#streams.stderr.write('\r\u001b[2K');
    this.#progressShown = false;
  }
}

/** Escapes each line of a text. All but the first are indented later, so none can look like one of ours. */
function eachLine(text: string, show: (line: string) => string): string {
  const [first = '', ...more] = text.replaceAll('\r\n', '\n').split('\n');
  return [first, ...more.filter((line) => line.trim() !== '')].map(show).join('\n');
}

/** Puts the code at the end of the first line. */
function withCode(text: string, code: string): string {
  const [first, ...more] = eachLine(text, stillVisibleLine).split('\n');
  return [`${first?.replace(/:\s*$/, '')} (${code})`, ...more].join('\n');
}

/** Wraps a line to the width of the terminal, with its indent before each part. */
function indented(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return `${indent}${wrapped(line.slice(indent.length), width - indent.length, '  ').replaceAll('\n', `\n${indent}`)}`;
}

const REPORT_DEFECT = 'Try again. If it happens again, report it with the lines above.';

/** The type and place of an error, for a report. Its message is left out, because it may contain a secret. */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const place = cause.stack?.split('\n').find((line) => line.trim().startsWith('at '));
  return `${cause.name} ${place?.trim() ?? ''}`.trim();
}

/** Shortens the home folder to `~`. */
function withTilde(text: string): string {
  const home = process.env.HOME || homedir();
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}

function painted(stream: TerminalStream, colour: Colour, text: string): string {
  return stream.isTTY && stream.hasColors?.() ? coloured(colour, text) : text;
}

function write(stream: Writable, text: string): Promise<NodeJS.ErrnoException | null | undefined> {
  return new Promise((resolve) => stream.write(text, resolve));
}
