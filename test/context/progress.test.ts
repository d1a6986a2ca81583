import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { contextWiring } from '../../src/cli/rooms/context.ts';
import { CONTEXT_LIMITS } from '../../src/context/limits.ts';
import { buildFrom, inFolder, snapshot, writeFiles } from '../../src/store/context/testing/folders.ts';

const COUNT = CONTEXT_LIMITS.buildChunk + 44;
const SOURCES = Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`${index}.md`, `document ${index}`]));
const CLEAR = '\r\u001b[2K';

/** Builds `<folder>/cache` anew as the command does; `hear` is told what comes to stderr. */
async function build(folder: string, isTTY: boolean, signal: AbortSignal, hear: (text: string) => void) {
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      hear(String(chunk));
      done();
    },
  });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const sources = writeFiles(join(folder, 'many'), SOURCES);
  const argv = ['context', 'build', '--sources', sources, '--cache', join(folder, 'cache'), '--force'];
  return runProgram(argv, { stdout, stderr: Object.assign(stderr, { isTTY }) }, signal, contextWiring.addCommands);
}

test.each([
  ['one line that is overwritten, and gone at the end', true],
  ['nothing but the last line', false],
])('a build shows %s (terminal: %s)', (_, isTTY) =>
  inFolder(async (folder) => {
    const heard: string[] = [];
    await build(folder, isTTY, new AbortController().signal, (text) => heard.push(text));
    const steps = [
      `${CLEAR}documents ${CONTEXT_LIMITS.buildChunk}/${COUNT}`,
      `${CLEAR}documents ${COUNT}/${COUNT}`,
      CLEAR,
    ];
    expect(heard.slice(0, -1)).toEqual(isTTY ? steps : []);
    expect(heard.at(-1)).toMatch(new RegExp(`^built ${COUNT} documents, sha256:[0-9a-f]{64}\n$`));
  }),
);

test('[context:Z8] a build that is interrupted ends with 130, and the old cache stays', () =>
  inFolder(async (folder) => {
    const old = snapshot(await buildFrom(folder, { 'a.md': 'old' }));
    const interrupt = new AbortController();
    expect(await build(folder, true, interrupt.signal, () => interrupt.abort())).toBe(130);
    expect(snapshot(join(folder, 'cache'))).toEqual(old);
  }));
