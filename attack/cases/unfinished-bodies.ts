import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { openSession } from '../../test/support/raw-client.ts';
import { rssOf, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase } from '../attack-case.ts';
import { besideOthers } from '../beside-others.ts';

const MB = 1024 * 1024;
const SENDERS = 300;
const LARGE_CALLS = 64;
const LARGE_CHARS = 4 * MB - 10_000;

export const attacks: readonly AttackCase[] = [
  {
    id: 'unfinished-bodies',
    title: 'bodies that are never finished do not fill the memory, and calls of others go on',
    async run({ up, home, recordingServer, onEnd }) {
      await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry } } });
      const bindery = await up();
      const before = rssOf(bindery.process.pid);
      let told = 0;
      const { hostname, port } = new URL(bindery.url);
      const part = Buffer.alloc(Math.floor(0.8 * MB), ' ');
      const send = async (): Promise<Socket> => {
        const socket = connect(Number(port), hostname).on('error', () => {});
        socket.once('data', (answer) => {
          if (answer.toString('latin1').startsWith('HTTP/1.1 503')) told += 1;
        });
        await once(socket, 'connect');
        const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${MB}`;
        socket.write(`${head}\r\n\r\n`);
        socket.write(part);
        return socket;
      };
      const sockets = await Promise.all(Array.from({ length: SENDERS }, send));
      onEnd(() => sockets.map((socket) => socket.destroy()));
      await until('most of them were told', () => told > SENDERS / 2);
      // The first call of a server that was never seen waits for its lists.
      const session = await openSession(bindery.mcpUrl);
      const { result } = await session.request('tools/call', {
        name: 'notes__echo',
        arguments: { text: 'x'.repeat(MB) },
      });
      assert.match(JSON.stringify(result).slice(0, 100), /xxxx/);
      const grown = rssOf(bindery.process.pid) - before;
      assert.ok(grown < 200, `the gateway grew by ${grown} MB`);
    },
  },
  {
    id: 'large-calls-at-once',
    title: `${LARGE_CALLS} calls of nearly 4 MB at once wait their turn and are all right, and small calls of others go on`,
    async run({ up, home, recordingServer }) {
      await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry } } });
      const bindery = await up();
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl, { name: 'large' });
      const large = async (call: number) => {
        const given = { call, text: String(call % 10).repeat(LARGE_CHARS) };
        const send = () => session.request('tools/call', { name: 'notes__echo', arguments: given });
        let { result, error } = await send();
        // A slow machine may not serve all of them within the wait.
        while ((error?.data as { code?: string } | undefined)?.code === 'BUSY') ({ result, error } = await send());
        assert.equal(error, undefined);
        const [content] = (result as { content: { text: string }[] }).content;
        assert.deepEqual(JSON.parse(content?.text ?? ''), given);
      };
      await besideOthers(bindery, () => Promise.all(Array.from({ length: LARGE_CALLS }, (_, call) => large(call))));
    },
  },
];
