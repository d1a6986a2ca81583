import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AttackCase } from '../attack-case.ts';

export const attacks: readonly AttackCase[] = [
  {
    id: 'data-dir-second-gateway',
    title: 'a second gateway of one data directory is refused, and does not hide the first when it ends',
    async run({ up, command }) {
      const first = await up();
      const refused = await command(['up', '--port', '0']);
      assert.equal(refused.exitCode, 1);
      assert.match(
        refused.stderr,
        new RegExp(`process ${first.process.pid} serves it at ${first.url} \\(GATEWAY_RUNNING\\)`),
      );
      const beside = await up('--beside');
      assert.equal(await beside.stop(), 0);
      const { stdout } = await command(['mcp', 'reconnect', 'none', '--json']);
      assert.match(stdout, /SERVER_NOT_FOUND/);
    },
  },
  {
    id: 'data-dir-stale-announcement',
    title: 'the announcement of a killed gateway gets no credential, even if its process number lives again',
    async run({ up, command, home, write, onEnd }) {
      const first = await up();
      await first.stop('SIGKILL');
      const seen: unknown[] = [];
      const thief = createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.end('{}');
      });
      await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
      onEnd(() => thief.close());
      const { port } = thief.address() as { port: number };
      const announcement = { url: `http://127.0.0.1:${port}`, pid: process.pid, cwd: home.cwd };
      await write('data/gateway.json', JSON.stringify(announcement));
      const { stdout } = await command(['mcp', 'reconnect', 'none', '--json']);
      assert.match(stdout, /GATEWAY_NOT_RUNNING/);
      assert.deepEqual(seen, []);
    },
  },
];
