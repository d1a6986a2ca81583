import { type ChildProcess, spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tells the guard process which process groups must not outlive this process. */
export class Guard {
  #process: ChildProcess | undefined;
  readonly #watched = new Set<number>();

  watch(pid: number): void {
    this.#watched.add(pid);
    this.#process ??= this.#start();
    this.#tell(`+${pid}`);
  }

  forget(pid: number): void {
    if (this.#watched.delete(pid)) this.#tell(`-${pid}`);
  }

  /** Lets the guard go; with nothing left to watch it ends at once. */
  close(): void {
    this.#process?.stdin?.end();
    this.#process = undefined;
  }

  #start(): ChildProcess {
    // The script stands beside this file, compiled or not.
    const script = fileURLToPath(new URL(`./guard-process${extname(import.meta.url)}`, import.meta.url));
    const child = spawn(process.execPath, [script], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      windowsHide: true,
      env: {},
    });
    child.unref();
    // A guard that dies is replaced at the next child, and told of all.
    const forget = () => {
      if (this.#process === child) this.#process = undefined;
    };
    child.on('error', forget);
    child.on('exit', forget);
    child.stdin?.on('error', forget);
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    for (const pid of this.#watched) child.stdin?.write(`+${pid}\n`);
    return child;
  }

  #tell(line: string): void {
    this.#process?.stdin?.write(`${line}\n`);
  }
}
