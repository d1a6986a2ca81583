import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNetwork } from './check-network.ts';

test('a proxy of this machine that takes no connection is found; one that listens, and those of others, are not', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  const proxy = `http://ada:secret@127.0.0.1:${port}`;
  expect(await checkNetwork({ HTTPS_PROXY: proxy, http_proxy: '', HTTP_PROXY: 'http://proxy.example:3128' })).toEqual(
    [],
  );
  await new Promise((done) => server.close(done));
  expect(await checkNetwork({ HTTPS_PROXY: proxy, http_proxy: `127.0.0.1:${port}`, HTTP_PROXY: 'http://:' })).toEqual([
    {
      check: 'network',
      level: 'error',
      message: 'HTTP_PROXY is no address of a proxy',
      fix: 'Correct HTTP_PROXY, or unset it.',
    },
    {
      check: 'network',
      level: 'error',
      message: `HTTPS_PROXY names a proxy at 127.0.0.1:${port}, and no program listens there`,
      fix: 'Start the proxy, or unset HTTPS_PROXY: servers get it too, and reach nothing through it.',
    },
    expect.objectContaining({
      message: `http_proxy names a proxy at 127.0.0.1:${port}, and no program listens there`,
    }),
  ]);
});

test('a file of certificates that cannot be read is found', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-ca-'));
  const file = join(dir, 'ca.pem');
  writeFileSync(file, '');
  expect(await checkNetwork({ NODE_EXTRA_CA_CERTS: file, SSL_CERT_FILE: '' })).toEqual([]);
  const found = await checkNetwork({ NODE_EXTRA_CA_CERTS: join(dir, 'none.pem'), SSL_CERT_FILE: dir });
  expect(found.map(({ level, message }) => [level, message])).toEqual([
    ['warning', `NODE_EXTRA_CA_CERTS names ${join(dir, 'none.pem')}, and there is no such file`],
    ['warning', `SSL_CERT_FILE names ${dir}, and that is no file`],
  ]);
  rmSync(dir, { recursive: true });
});
