import { expect, test } from 'vitest';
import { openCommandHome } from './support/command-home.ts';

const home = openCommandHome();

test('what several nodes would need is refused with a code, and not passed over [gateway:R4] [gateway:G3]', async () => {
  const codeOf = async (...argv: string[]) => {
    const { stdout, stderr, exitCode } = await home.run(...argv);
    return [exitCode, /\(([A-Z_]+)\)/.exec(stderr)?.[1] ?? JSON.parse(stdout).code];
  };
  expect([
    await codeOf('up', '--port', '0', '--db', 'postgres://ada:hunter2hunter2@127.0.0.1:1/bindery'),
    await codeOf('up', '--port', '0', '--advertise', 'http://node-1.example:7717'),
    await codeOf('stdio', '--advertise', 'http://node-1.example:7717'),
    await codeOf('up', '--port', '0', '--node', 'a/b'),
  ]).toEqual([
    [1, 'STORE_UNAVAILABLE'],
    [1, 'NODES_UNSUPPORTED'],
    [1, 'NODES_UNSUPPORTED'],
    [1, 'USAGE'],
  ]);
});
