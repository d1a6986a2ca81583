import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './running-bindery.ts';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

export const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** nginx with the lines of a page, for the addresses that it is to serve and to balance. */
export async function startNginx(page: string, addresses: Readonly<Record<string, string>>): Promise<Balancer> {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-nginx-'));
  const port = await freePort();
  let lines = page.replace('listen 80;', `listen 127.0.0.1:${port};`);
  for (const [there, here] of Object.entries(addresses)) lines = lines.replace(there, here);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const main = `worker_processes 1; pid ${dir}/pid; error_log ${dir}/errors; events {}`;
  writeFileSync(join(dir, 'nginx.conf'), `${main}\nhttp { access_log off; ${temporary.join(' ')}\n${lines}\n}\n`);
  const child = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf'), '-g', 'daemon off;'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('nginx listens', () => isOpen(port));
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The simplest balancer: each request to the next one in turn. */
export async function startRoundRobin(origins: readonly string[]): Promise<Balancer> {
  let turn = 0;
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? '/', origins[turn++ % origins.length]);
    const passed = httpRequest(target, { method: request.method, headers: { ...request.headers, host: 'localhost' } });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
