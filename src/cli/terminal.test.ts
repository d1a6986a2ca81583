import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { BinderyError } from '../contract/errors.ts';
import { Terminal } from './terminal.ts';

/** A stream on which every write fails, as one of the process does, which is not destroyed by that. */
function failing(code: string): Writable {
  const stream = new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
  });
  return stream.on('error', () => {});
}

function terminalOn(code: string): Terminal {
  return new Terminal({ stdout: failing(code), stderr: failing(code) }, new AbortController().signal);
}

test('a reader that closes its end is no failure, and ends a running stream', async () => {
  const terminal = terminalOn('EPIPE');
  await terminal.out('x');
  expect([terminal.signal.aborted, terminal.whileRead.aborted, terminal.exitCode]).toEqual([false, true, 0]);
});

test('output that cannot be written is a failure', async () => {
  await expect(terminalOn('ENOSPC').out('x')).rejects.toMatchObject({ code: 'ENOSPC' });
});

test.each(['EPIPE', 'EIO', 'ENOSPC'])('a note that cannot be written (%s) fails nothing', async (code) => {
  const terminal = terminalOn(code);
  await terminal.note('x');
  expect(terminal.whileRead.aborted).toBe(false);
});

test('an interrupt ends a running stream', () => {
  const interrupt = new AbortController();
  const terminal = new Terminal(process, interrupt.signal);
  interrupt.abort();
  expect(terminal.whileRead.aborted).toBe(true);
});

test('a failure of several lines is shown in lines, each made visible and all but the first indented', async () => {
  let shown = '';
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      shown += String(chunk);
      done();
    },
  });
  const terminal = new Terminal({ stdout: stderr, stderr }, new AbortController().signal);
  await terminal.fail(new BinderyError('SERVER_UNREADY', { detail: 'it said: a\n\nnext: b\u001b[31m', next: 'Look.' }));
  await terminal.warn('one\r\nerror: two');
  expect(shown.split('\n').slice(1)).toEqual([
    '  next: b\\u{1B}[31m',
    'next: Look.',
    'warning: one',
    '  error: two',
    '',
  ]);
});
