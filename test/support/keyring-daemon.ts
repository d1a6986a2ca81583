import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'];
const PASSWORD = 'of the keyring';

/** Why no Secret Service can be started here; undefined where one can. */
export function missingForKeyring(): string | undefined {
  if (process.platform !== 'linux') return `a Secret Service is a thing of Linux, and this is ${process.platform}`;
  const missing = PROGRAMS.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
  if (missing.length > 0) return `${missing.join(', ')} not installed; npm run test:keychain does so`;
  try {
    createRequire(import.meta.url).resolve('@napi-rs/keyring');
    return undefined;
  } catch {
    return 'the optional package @napi-rs/keyring is not installed';
  }
}

/** A session bus and a keyring of their own: nothing of the person's is read or written. */
export class KeyringDaemon {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly #bus: ChildProcess;
  #keyring: ChildProcess;

  private constructor(home: string, env: Record<string, string>, bus: ChildProcess) {
    this.home = home;
    this.env = env;
    this.#bus = bus;
    this.#keyring = this.#startKeyring();
  }

  static async start(): Promise<KeyringDaemon> {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-keyring-')));
    const runtime = join(home, 'run');
    mkdirSync(runtime, { mode: 0o700 });
    const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH ?? '', HOME: home, XDG_RUNTIME_DIR: runtime },
    });
    const [address] = (await once(createInterface({ input: bus.stdout }), 'line')) as [string];
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      XDG_RUNTIME_DIR: runtime,
      DBUS_SESSION_BUS_ADDRESS: address,
    };
    const service = new KeyringDaemon(home, env, bus);
    try {
      await service.#untilOpen();
    } catch (error) {
      await service.close();
      throw error;
    }
    return service;
  }

  /** How many secrets are kept under Bindery's name. */
  count(): number {
    const found = this.#send('SearchItems', 'dict:string:string:service,bindery');
    return found.match(/object path/g)?.length ?? 0;
  }

  /** What a screen that locks does. */
  lock(): void {
    this.#send('Lock', 'array:objpath:/org/freedesktop/secrets/collection/login');
  }

  /** The keyring's process ends, and another one opens what it kept. */
  async restart(): Promise<void> {
    await this.stopKeyring();
    this.#keyring = this.#startKeyring();
    await this.#untilOpen();
  }

  async stopKeyring(): Promise<void> {
    if (this.#keyring.exitCode !== null) return;
    const ended = once(this.#keyring, 'exit');
    this.#keyring.kill();
    await ended;
  }

  async close(): Promise<void> {
    await this.stopKeyring();
    const ended = once(this.#bus, 'exit');
    this.#bus.kill();
    await ended;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  #startKeyring(): ChildProcess {
    const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: this.env,
    });
    keyring.stdin.end(PASSWORD);
    return keyring;
  }

  async #untilOpen(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      // Whoever asks the service itself before it is there makes the bus start another one, which nobody opened.
      if (this.#isOwned() && this.#send('ReadAlias', 'string:default').includes('collection/login')) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('the keyring did not open');
  }

  #isOwned(): boolean {
    const bus = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.NameHasOwner'];
    return this.#dbusSend(...bus, 'string:org.freedesktop.secrets').includes('true');
  }

  #send(method: string, argument: string): string {
    const target = ['--dest=org.freedesktop.secrets', '/org/freedesktop/secrets'];
    return this.#dbusSend(...target, `org.freedesktop.Secret.Service.${method}`, argument);
  }

  #dbusSend(...call: string[]): string {
    return spawnSync('dbus-send', ['--session', '--print-reply', ...call], { env: this.env, encoding: 'utf8' }).stdout;
  }
}
