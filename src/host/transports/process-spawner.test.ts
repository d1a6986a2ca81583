import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { setBackground } from './process-group.ts';
import { ProcessSpawner } from './process-spawner.ts';
import type { ServerProcess } from './server-process.ts';

const spawner = new ProcessSpawner();
afterAll(() => spawner.close());

/** Starts a program; `ended` tells how it ended, and `said` what it wrote. */
async function run(program: string, file = process.execPath, by = spawner, more: { isBackground?: boolean } = {}) {
  const said: string[] = [];
  let end: (how: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const server: ServerProcess = await by.start(
    { file, args: ['-e', program], cwd: '/tmp', env: { ONE: '1' }, ...more },
    {
      onOutput: (chunk) => said.push(chunk.toString()),
      onErrorOutput: (chunk) => said.push(`error: ${chunk}`),
      onEnd: (code, signal) => end({ code, signal }),
    },
  );
  return { server, said, ended };
}

const parentOf = (pid: number) => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
const echo = 'process.stdin.on("data", (data) => process.stdout.write(data)).on("end", () => process.exit(3))';

test('[wire:GUARD] the spawner starts a server with its three streams, folder and variables, and reports its exit', async () => {
  const { server, said, ended } = await run(
    `console.log(process.cwd(), process.env.ONE, process.env.PATH); console.error("oh"); ${echo}`,
  );
  server.stdin.write('hello');
  while (!said.join('').includes('hello')) await sleep(5);
  server.stdin.end();
  expect([parentOf(server.pid) === process.pid, await ended, said.join('').split('error: ').toSorted()]).toEqual([
    false,
    { code: 3, signal: null },
    expect.arrayContaining([expect.stringContaining('/tmp 1 undefined')]),
  ]);
  expect(said.join('')).toContain('error: oh\n');
});

test('[wire:GUARD] a failed start reports the reason, and a killed server the signal', async () => {
  await expect(run('', '/no/such/program')).rejects.toMatchObject({ code: 'ENOENT' });
  const { ended } = await run('process.kill(process.pid, "SIGKILL")');
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('[wire:GUARD] a program whose name or argument has line separators ends neither the spawner nor other servers', async () => {
  const other = await run(echo);
  const odd = 'a\u2028b\u2029c\nd\re';
  await expect(run('', `/no/such/${odd}`)).rejects.toMatchObject({ code: 'ENOENT' });
  const { said, ended } = await run(`process.stdout.write(${JSON.stringify(odd)})`);
  expect(await ended).toEqual({ code: 0, signal: null });
  while (said.join('').length < odd.length) await sleep(5);
  other.server.stdin.write('alive');
  while (!other.said.join('').includes('alive')) await sleep(5);
  other.server.stdin.end();
  expect([said.join(''), await other.ended]).toEqual([odd, { code: 3, signal: null }]);
});

test('[wire:GUARD] servers survive a killed spawner; the next one takes over and watches them', async () => {
  const before = await run(echo);
  process.kill(parentOf(before.server.pid), 'SIGKILL');
  // An order to a spawner that is going may be lost with it; the next one finds a new one.
  const after = await run(echo).catch(() => run(echo));
  before.server.stdin.write('still here');
  while (!before.said.join('').includes('still here')) await sleep(5);
  before.server.stdin.end();
  after.server.stdin.end();
  expect([await before.ended, await after.ended]).toEqual([
    { code: null, signal: null },
    { code: 3, signal: null },
  ]);
});

test('[wire:GUARD] without a writable folder servers still start', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/no/such/folder';
  const elsewhere = new ProcessSpawner();
  const { server, ended } = await run(echo, process.execPath, elsewhere);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  expect(parentOf(server.pid)).toBe(process.pid);
  server.stdin.end();
  expect(await ended).toEqual({ code: 3, signal: null });
  elsewhere.close();
});

test('[wire:HOSTILE] a server whose output is not read blocks', async () => {
  const { server, said, ended } = await run(
    'const more = () => process.stdout.write("x".repeat(65536), more); more(); process.stdin.on("end", () => process.exit(0)).resume()',
  );
  while (said.length === 0) await nextTurn();
  server.stopReading();
  const pieces = said.length;
  for (let turn = 0; turn < 20; turn += 1) await sleep(5);
  expect(said.length).toBe(pieces);
  process.kill(-server.pid, 'SIGKILL');
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('[wire:GUARD] a server that starts in the background has low priority, and can be restored', async () => {
  const grouped = (pid: number) => {
    try {
      return /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  };
  const { server, ended } = await run(echo, process.execPath, spawner, { isBackground: true });
  const { pid } = server;
  const isGrouped = grouped(pid) !== undefined;
  expect([getPriority(pid), grouped(pid)]).toEqual([Math.min(19, getPriority() + 10), isGrouped ? '10' : undefined]);
  setBackground(pid, false);
  expect(isGrouped ? grouped(pid) : '0').toBe('0');
  server.stdin.end();
  await ended;
  expect(() => setBackground(pid, true)).not.toThrow();
});

test('[wire:GUARD] without free file descriptors only the start of a server fails', async () => {
  const program = `
    import { openSync } from 'node:fs';
    import { ProcessSpawner } from ${JSON.stringify(new URL('./process-spawner.ts', import.meta.url).href)};
    import { startDirectly } from ${JSON.stringify(new URL('./server-process.ts', import.meta.url).href)};
    try { for (;;) openSync('/dev/null'); } catch {}
    const command = { file: 'cat', args: [], cwd: '/', env: {} };
    const events = { onOutput() {}, onErrorOutput() {}, onEnd() {} };
    const said = [];
    for (const start of [() => new ProcessSpawner().start(command, events), () => startDirectly(command, events)])
      await start().catch((error) => said.push(error.message));
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.stdout.write(said.join());
  `;
  const limited = 'ulimit -n 48 && exec "$0" --input-type=module -e "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program]);
  expect(stdout).toBe('too many files are open,spawn cat EMFILE');
});
