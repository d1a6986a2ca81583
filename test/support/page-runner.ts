import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../src/cli/main.ts';
import type { PageBlock } from './page-blocks.ts';
import { testedProgram } from './program.ts';
import { root } from './repository.ts';

/** The servers of this checkout that pages start with npx; the sample server stands in for every other package. */
const PACKAGES = ['server-memory', 'server-everything', 'server-filesystem'];

/** The files of the clients in the home of a page. */
const CLIENT_FILES = {
  '.claude.json': '{\n  "numStartups": 3,\n  "mcpServers": {}\n}\n',
  '.cursor/mcp.json': JSON.stringify({
    mcpServers: { diary: { command: process.execPath, args: [join(root, 'samples/servers/server.js'), 'notes'] } },
  }),
};

/** Variables of the shell that a command reads. */
const VARIABLES = [
  'HOME',
  'BINDERY_DATA_DIR',
  'BINDERY_CONFIG_PATH',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
];

export interface LineResult {
  readonly line: string;
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * Runs the shell lines of a page in a home and a folder of their own. The lines run in a real shell; `bindery` there hands its words to this
 * process, which runs the command. So a page of thirty commands starts no program but the servers that it names.
 */
export class PageRunner {
  readonly #dir = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-page-')));
  readonly #cwd = join(this.#dir, 'project');
  readonly #home = join(this.#dir, 'home');
  readonly #commands = createServer((request, response) => {
    void this.#command(request).then((answer) => response.end(answer));
  });
  #gateway: { readonly url: string; readonly stop: () => Promise<unknown> } | undefined;

  async open(): Promise<void> {
    const bin = join(this.#dir, 'bin');
    for (const folder of [bin, this.#cwd, this.#home]) mkdirSync(folder);
    for (const [file, content] of Object.entries(CLIENT_FILES)) {
      mkdirSync(dirname(join(this.#home, file)), { recursive: true });
      writeFileSync(join(this.#home, file), content);
    }
    cpSync(join(root, 'samples'), join(this.#cwd, 'samples'), { recursive: true });
    const program = (name: string, script: string) => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    };
    this.#commands.listen(0, '127.0.0.1');
    await once(this.#commands, 'listening');
    const { port } = this.#commands.address() as AddressInfo;
    const words = VARIABLES.map((name) => `"\${${name}-}"`).join(' ');
    program(
      'bindery',
      `answer=$(printf '%s\\0' "$PWD" ${words} "$@" | curl -s --data-binary @- http://127.0.0.1:${port}/)
printf '%s\\n' "\${answer#*
}"
exit "\${answer%%
*}"`,
    );
    const servers = PACKAGES.map((name) => `*/${name}) exec '${process.execPath}' '${packageFile(name)}' "$@" ;;`).join(
      '\n',
    );
    program(
      'npx',
      `shift; package=$1; shift
case "$package" in
${servers}
*) exec '${process.execPath}' '${join(root, 'samples/servers/server.js')}' notes ;;
esac`,
    );
    // What pages install is what is tested here.
    program('npm', 'exit 0');
    program('real-bindery', `exec '${process.execPath}' '${testedProgram}' "$@"`);
  }

  /** The address of the gateway that the page has started. */
  get url(): string | undefined {
    return this.#gateway?.url;
  }

  /** The clients whose files are different now. */
  changedClients(): string[] {
    return Object.entries(CLIENT_FILES).flatMap(([file, content]) =>
      readFileSync(join(this.#home, file), 'utf8') === content ? [] : [file],
    );
  }

  write({ file, text: content }: PageBlock): void {
    if (file === undefined) return;
    mkdirSync(dirname(join(this.#cwd, file)), { recursive: true });
    writeFileSync(join(this.#cwd, file), content);
  }

  async line(written: string): Promise<LineResult> {
    const { port } = new URL(this.#gateway?.url ?? 'http://127.0.0.1:7717');
    // Commands that read stdin need a process of their own, and no server of an example is dialled.
    const line = written
      .replace(/(?<=^bindery mcp add .*)https:\/\/[a-z.]+\//, 'http://127.0.0.1:9/')
      .replaceAll('127.0.0.1:7717', `127.0.0.1:${port}`)
      .replace(/^bindery(?=.* < )/, 'real-bindery')
      // The question of this command is answered with yes.
      .replace(/^bindery import(?!.*--(?:yes|dry-run))/, '$& --yes');
    const path = [join(this.#dir, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH: path, HOME: this.#home, NO_COLOR: '1', BINDERY_OAUTH_BROWSER: 'manual' };
    const child = spawn('sh', ['-c', line], { cwd: this.#cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[exitCode], ...outputs] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    return { line: written, exitCode, output: outputs.join('') };
  }

  async stopGateway(): Promise<void> {
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }

  async close(): Promise<void> {
    await this.stopGateway();
    this.#commands.close();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs the command whose words the shell sends, and answers with its exit code and what it printed. */
  async #command(request: IncomingMessage): Promise<string> {
    const [cwd, ...rest] = (await text(request)).split('\0').slice(0, -1);
    const argv = rest.slice(VARIABLES.length);
    const before = [process.cwd(), ...VARIABLES.map((name) => process.env[name])];
    const set = ([folder, ...values]: readonly (string | undefined)[]) => {
      process.chdir(folder as string);
      VARIABLES.forEach((name, at) => {
        if (values[at]) process.env[name] = values[at];
        else delete process.env[name];
      });
    };
    set([cwd, ...rest.slice(0, VARIABLES.length)]);
    try {
      // The gateway of a page runs in this process.
      if (argv[0] === 'stop') return await this.stopGateway().then(() => '0\n');
      return await (argv[0] === 'up' && !argv.includes('--help') ? this.#up(argv) : inProcess(argv));
    } finally {
      set(before);
    }
  }

  /** `bindery up` stays, as in a first terminal, on any free port. */
  async #up(argv: readonly string[]): Promise<string> {
    await this.stopGateway();
    const stop = new AbortController();
    let stderr = '';
    const ready = Promise.withResolvers<string>();
    const kept = argv.filter((word, at) => word !== '--port' && argv[at - 1] !== '--port');
    const ended = run(
      [...kept, '--port', '0', '--json'],
      {
        stdout: into(ready.resolve),
        stderr: into((chunk) => {
          stderr += chunk;
        }),
      },
      stop.signal,
    );
    const line = await Promise.race([ready.promise, ended.then((code) => `${code}\n${stderr}`)]);
    if (!line.startsWith('{')) return line;
    this.#gateway = {
      url: JSON.parse(line).url,
      stop: () => {
        stop.abort();
        return ended;
      },
    };
    return `0\n${line}`;
  }
}

async function inProcess(argv: readonly string[]): Promise<string> {
  const written: string[] = [];
  const stream = () => into((chunk) => written.push(chunk));
  const code = await run(argv, { stdout: stream(), stderr: stream() }, new AbortController().signal);
  return `${code}\n${written.join('')}`;
}

function into(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

function packageFile(name: string): string {
  return join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
}
