import { expect, test } from 'vitest';
import { type CommandWorld, resolveCommand } from './resolve-command.ts';

const windows = (files: readonly string[], env: Record<string, string> = {}): CommandWorld => ({
  platform: 'win32',
  cwd: 'C:\\work',
  env: { Path: 'C:\\Windows;C:\\Program Files\\nodejs\\', PATHEXT: '.COM;.EXE;.BAT;.CMD', ...env },
  exists: (path) => files.includes(path),
});

test('on other systems the command is passed on unchanged', () => {
  const world = { platform: 'linux', cwd: '/', env: {}, exists: () => false };
  expect(resolveCommand('npx', ['-y', 'a b'], world)).toEqual({ file: 'npx', args: ['-y', 'a b'], verbatim: false });
});

test('[wire:WINDOWS] on Windows npx is npx.cmd of the PATH, started through cmd.exe', () => {
  const world = windows(['C:\\Program Files\\nodejs\\npx.cmd'], { ComSpec: 'C:\\Windows\\system32\\cmd.exe' });
  expect(resolveCommand('npx', ['-y', '@scope/server'], world)).toEqual({
    file: 'C:\\Windows\\system32\\cmd.exe',
    args: ['/d', '/s', '/c', '"C:\\Program^ Files\\nodejs\\npx.cmd ^^^"-y^^^" ^^^"@scope/server^^^""'],
    verbatim: true,
  });
});

test('a program is started directly, and found before a batch file of the same name', () => {
  const world = windows(['C:\\Windows\\node.exe', 'C:\\Windows\\node.cmd']);
  expect(resolveCommand('node', ['a b'], world)).toEqual({
    file: 'C:\\Windows\\node.exe',
    args: ['a b'],
    verbatim: false,
  });
});

test('the working folder comes before the PATH, and a path is taken as it is', () => {
  const world = windows(['C:\\work\\tool.exe', 'C:\\Windows\\tool.exe', 'D:\\x\\tool.exe']);
  expect([resolveCommand('tool.exe', [], world).file, resolveCommand('D:\\x\\tool', [], world).file]).toEqual([
    'C:\\work\\tool.exe',
    'D:\\x\\tool.exe',
  ]);
});

test('a command that is not found is reported with the searched folders', () => {
  expect(() => resolveCommand('nope', [], windows([]))).toThrow(
    'nope was not found (searched C:\\work, C:\\Windows, C:\\Program Files\\nodejs\\)',
  );
});

/** cmd.exe, as far as it matters here: carets escape, then a batch file's %* is read once more. */
function readLikeCmd(line: string): string {
  return line.replace(/\^(.)/gs, '$1');
}

/** The C runtime's reading of one quoted argument. */
function readLikeProgram(argument: string): string {
  return argument
    .slice(1, -1)
    .replace(
      /(\\*)(\\"|"|$)/g,
      (_all, slashes: string, end: string) =>
        slashes.slice(0, Math.floor(slashes.length / 2)) + (end === '\\"' ? '"' : end),
    );
}

test.each(['plain', 'a b', 'a&b|c>d<e', '100%', '"quoted"', 'ends in \\', '^caret^', '(x)', '%PATH%', 'a;b,c', '!x!'])(
  'the argument %s reaches the program unchanged through cmd.exe and a batch file',
  (argument) => {
    const { args } = resolveCommand('C:\\a.cmd', [argument], windows(['C:\\a.cmd']));
    const line = (args[3] ?? '').slice(1, -1).slice('C:\\a.cmd '.length);
    const once = readLikeCmd(line);
    // What cmd.exe would act on is escaped at both readings.
    expect(line.replace(/\^./gs, '')).not.toMatch(/[&|<>%"!]/);
    expect(once.replace(/\^./gs, '')).not.toMatch(/[&|<>%"!]/);
    expect(readLikeProgram(readLikeCmd(once))).toBe(argument);
  },
);
