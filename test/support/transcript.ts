import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import { root } from './repository.ts';
import { until } from './running-bindery.ts';

const COLUMNS = 80;

/** A terminal of 80 columns that keeps what it is shown; stdout and stderr go to the same screen. */
export interface Screen {
  readonly stdout: Writable;
  readonly stderr: Writable;
  text(): string;
}

export function openScreen(colour: boolean): Screen {
  let shown = '';
  const open = () =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          shown += String(chunk);
          done();
        },
      }),
      { isTTY: true, columns: COLUMNS, hasColors: () => colour },
    );
  return { stdout: open(), stderr: open(), text: () => shown };
}

/** A home in which a person at a terminal types command lines; the transcript is what they saw. */
export class Transcript {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-transcript-')));
  readonly #colour: boolean;
  #lines = '';

  constructor(colour: boolean) {
    this.#colour = colour;
  }

  get text(): string {
    return this.#lines;
  }

  write(path: string, content: string, mode = 0o644): string {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, content, { mode });
    return file;
  }

  /** Runs one command line in this process, in the home. */
  async type(...argv: string[]): Promise<number> {
    const screen = openScreen(this.#colour);
    const exitCode = await this.#inHome(() =>
      run(this.#withProject(argv), { stdout: screen.stdout, stderr: screen.stderr }, new AbortController().signal),
    );
    this.add(argv, screen.text(), exitCode);
    return exitCode;
  }

  /** Starts `bindery up` on a free port; `stop` ends it and notes what the terminal showed. */
  async serve(...flags: string[]): Promise<{ readonly url: string; screen: Screen; stop(): Promise<void> }> {
    const screen = openScreen(this.#colour);
    const interrupt = new AbortController();
    const argv = ['up', ...flags];
    const before = this.#enterHome();
    const served = run([...argv, '--port', '0', '--cwd', this.home], screen, interrupt.signal);
    const ended = served.then((exitCode) => {
      throw new Error(`bindery up ended with ${exitCode}: ${screen.text()}`);
    });
    await Promise.race([until('it serves', () => screen.text().includes('Stop: Ctrl-C')), ended]);
    const [, url = ''] = /serves (\S+)/.exec(screen.text()) ?? [];
    return {
      url,
      screen,
      stop: async () => {
        interrupt.abort();
        ended.catch(() => {});
        const exitCode = await served;
        process.env = before;
        this.add(argv, screen.text(), exitCode);
      },
    };
  }

  /** Notes what a command line showed; names of this machine and of this moment are replaced. */
  add(argv: readonly string[], shown: string, exitCode: number | string | null): void {
    const isRemark = argv[0]?.startsWith('#') === true;
    const words = argv.map((word) => (/^[\w./:@=~-]+$/.test(word) ? word : `'${word}'`));
    const line = isRemark ? String(argv[0]) : `$ ${['bindery', ...words].join(' ')}`;
    this.#lines += `${this.#plain(line)}\n${this.#plain(shown)}`;
    if (exitCode !== 0) this.#lines += `(exit ${exitCode})\n`;
    this.#lines += '\n';
  }

  async #inHome<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#enterHome();
    try {
      return await work();
    } finally {
      process.env = before;
    }
  }

  #enterHome(): NodeJS.ProcessEnv {
    const before = { ...process.env };
    Object.assign(process.env, { HOME: this.home });
    for (const name of ['BINDERY_CONFIG_PATH', 'BINDERY_DATA_DIR', 'XDG_CONFIG_HOME']) delete process.env[name];
    return before;
  }

  /** The commands of the gateway look at the project: here that is the home. */
  #withProject(argv: readonly string[]): string[] {
    const knowsProject = /^(tools (list|find|cost)|policy|approvals|audit|mcp (list|status|test|trust|remove))\b/;
    return argv.includes('--cwd') || !knowsProject.test(argv.join(' ')) ? [...argv] : [...argv, '--cwd', this.home];
  }

  #plain(text: string): string {
    const replaced = [
      // How often progress is shown depends on the machine; it is overwritten.
      [/\r\u001b\[2K(?:starting [^\r\n]*, seconds \d+)?/g, ''],
      [this.home, '~'],
      [root.replace(/\/$/, ''), 'BINDERY'],
      [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
      [/sign_in=[\w-]+/g, 'sign_in=CODE'],
      [/apr_[0-9a-f]{26}/g, 'apr_ID'],
      [/Bindery \d+\.\d+\.\d+/g, 'Bindery VERSION'],
      ['\u001b', '␛'],
    ] as const;
    return replaced.reduce((left, [from, to]) => left.replaceAll(from, to), text);
  }
}

/** The transcript without colours. */
export function withoutColour(text: string): string {
  return text.replaceAll(/␛\[\d+m/g, '');
}
