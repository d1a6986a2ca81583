import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { addOperationCommand } from '../../src/cli/operation-command.ts';
import { createHostDeps } from '../../src/cli/rooms/host/host-deps.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { hostRoom } from '../../src/host/operations.ts';

/** A home and a project of their own, and the commands of the host as they run there. */
export async function openHostCommands(env: (home: string) => Record<string, string> = () => ({})) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'bindery-commands-')));
  const project = join(dir, 'project');
  await mkdir(project);
  const variables = { PATH: process.env.PATH ?? '', HOME: dir, BINDERY_OAUTH_BROWSER: 'manual', ...env(dir) };
  const log = createMemoryLog();
  const watchers: ((text: string) => void)[] = [];
  const run = async (...argv: string[]) => {
    const written = { stdout: '', stderr: '' };
    const into = (name: 'stdout' | 'stderr') =>
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += chunk;
          if (name === 'stderr') for (const watch of watchers) watch(written.stderr);
          done();
        },
      });
    const stderr = into('stderr');
    const terminal = new Terminal({ stdout: into('stdout'), stderr }, new AbortController().signal);
    const program = new Command('bindery').exitOverride().configureOutput({ writeErr: () => {} });
    for (const operation of hostRoom.operations) {
      addOperationCommand(program, operation, {
        terminal,
        deps: () =>
          createHostDeps({
            env: variables,
            projectDir: project,
            person: { stderr, ask: undefined },
            log,
            names: {
              resolve: async (name) => ({ endpoint: `https://${name.slice(5)}.example/mcp`, ttl: 60 }),
              distrust: () => undefined,
            },
            warn: (text) => void terminal.note(`warning: ${text}\n`),
          }),
      });
    }
    await program.parseAsync(argv, { from: 'user' });
    return { ...written, exitCode: terminal.exitCode };
  };
  return {
    run,
    /** Told of everything on stderr so far, whenever there is more. */
    watchStderr: (watch: (text: string) => void) => void watchers.push(watch),
    log,
    dir,
    project,
    globalFile: join(dir, '.bindery', 'config.json'),
    projectFile: join(project, '.bindery', 'config.json'),
    json: async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout),
  };
}
