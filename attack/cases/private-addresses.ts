import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { mcp, zoneText } from '../../src/bind/testing/zones.ts';
import { exampleTls, withFakeDns } from '../../test/support/example-tls.ts';
import { listServers, type RunningBindery, startBindery, until } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

/** A server on loopback that records every request. */
interface Recorder {
  readonly port: number;
  readonly requests: string[];
}

type Answer = (request: IncomingMessage, response: ServerResponse, recorder: Recorder) => void;

async function record({ onEnd }: AttackTarget, isTls: boolean, answer: Answer): Promise<Recorder> {
  const requests: string[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response, recorder);
  };
  const server = isTls ? createTlsServer(exampleTls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const recorder: Recorder = { port: (server.address() as AddressInfo).port, requests };
  onEnd(() => server.close());
  return recorder;
}

const ok: Answer = (_request, response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** Names below example.com that lead to this machine; no other name is resolved. */
const DNS = withFakeDns({ 'inside.example.com': ['127.0.0.1'], 'mcp.example.com': ['127.0.0.1'] });

async function upInside({ home, onEnd }: AttackTarget, env: object = {}, ...flags: string[]): Promise<RunningBindery> {
  const bindery = await startBindery({ ...home, env: { ...home.env, ...DNS, ...env } }, ...flags);
  onEnd(() => bindery.stop('SIGKILL'));
  return bindery;
}

async function untilFailed(bindery: RunningBindery, server: string): Promise<string> {
  const find = async () => (await listServers(bindery)).find(({ id }) => id === server);
  await until(`${server} has failed`, async () => (await find())?.state === 'error');
  return String((await find())?.reason);
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'ssrf-link-probe',
    title: 'the monthly check of links visits no private address, in any spelling, and the gateway lives on',
    async run(target) {
      const recorder = await record(target, false, ok);
      const hosts = [
        ...[
          '127.0.0.1',
          '127.1',
          '0x7f.0.0.1',
          '0177.0.0.1',
          '2130706433',
          '0',
          'localhost',
          'localhost.',
          'a.localhost',
        ],
        ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', 'inside.example.com'],
      ];
      const citations = hosts.map((host) => `  - { url: "http://${host}:${recorder.port}/cited" }`).join('\n');
      const matter = `id: cited\ntitle: Cited\nsummary: Cites.\nstatus: beta\nversion: 1.0.0\ncategory: any\ncitations:\n${citations}`;
      await target.write('corpus/skills/cited/canonical.md', `---\n${matter}\n---\n# Cited\n\nText.\n`);
      await target.home.writeConfig({ version: 1, civic: { probes: 'monthly' } });
      const clock = { BINDERY_TEST_CLOCK: '2026-11-01T12:00:00Z' };
      const bindery = await upInside(target, clock, '--corpus', `${target.home.dir}/corpus`);
      // Moving the clock waits for the check.
      const { status } = await bindery.api('PUT', '/v1/test/clock', { now: '2026-11-02T12:00:00Z' });
      assert.equal(status, 200);
      assert.deepEqual(recorder.requests, []);
      assert.equal((await fetch(`${bindery.url}/healthz`)).status, 200);
    },
  },
  {
    id: 'ssrf-register-key',
    title: 'a key of scope register reaches no private address, by address or by a name that leads there',
    async run(target) {
      const recorder = await record(target, true, ok);
      const bindery = await upInside(target);
      const { stdout } = await target.command(['keys', 'create', 'r', '--scope', 'register', '--json']);
      const authorization = `Bearer ${(JSON.parse(stdout) as { key: string }).key}`;
      const register = async (name: string, host: string) => {
        const manifest = { name, endpoint: `https://${host}:${recorder.port}/mcp`, transport: 'http' };
        return (await bindery.api('POST', '/v1/servers', manifest, authorization)).status;
      };
      const spelled = [
        '127.1',
        '[::1]',
        '[64:ff9b::127.0.0.1]',
        '100.64.0.1',
        'localhost',
        'metadata.google.internal',
        'redis',
      ];
      for (const [at, host] of spelled.entries()) assert.equal(await register(`s${at}`, host), 422, host);
      assert.equal(await register('named', 'inside.example.com'), 201);
      assert.match(await untilFailed(bindery, 'named'), /not public/);
      assert.deepEqual(recorder.requests, []);
    },
  },
  {
    id: 'ssrf-zone-name',
    title: 'a name whose endpoint leads to a private address is not connected',
    async run(target) {
      const recorder = await record(target, true, ok);
      const endpoint = `https://inside.example.com:${recorder.port}/mcp`;
      await target.write('zones/acme.json', zoneText('acme', { records: [mcp(endpoint)] }));
      const servers = { acme: { transport: 'http', identity: 'ai://acme' } };
      await target.home.writeConfig({ version: 1, mcp: { servers }, bind: { zones: `${target.home.dir}/zones` } });
      const bindery = await upInside(target);
      assert.match(await untilFailed(bindery, 'acme'), /not public/);
      assert.deepEqual(recorder.requests, []);
    },
  },
  {
    id: 'ssrf-sign-in',
    title: 'a public server leads the gateway to no private address: neither with its 401 nor with its metadata',
    async run(target) {
      const inside = await record(target, false, ok);
      const server = await record(target, true, (request, response, { port }) => {
        const challenge = { 'www-authenticate': `Bearer resource_metadata="http://127.0.0.1:${inside.port}/secret"` };
        if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
          const resource = `https://mcp.example.com:${port}/mcp`;
          const authorization_servers = [`http://127.0.0.1:${inside.port}`];
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify({ resource, authorization_servers }));
        } else response.writeHead(401, challenge).end();
      });
      const servers = { wiki: { transport: 'http', url: `https://mcp.example.com:${server.port}/mcp` } };
      await target.home.writeConfig({ version: 1, mcp: { servers } });
      const bindery = await upInside(target);
      const stateOf = async () => (await listServers(bindery)).find(({ id }) => id === 'wiki')?.state;
      await until('the server was challenged', async () => (await stateOf()) === 'auth_required');
      assert.deepEqual(
        server.requests.filter((request) => request.startsWith('GET /.well-known')),
        [],
      );
      const { body } = await bindery.api('POST', '/v1/servers/wiki/login', {});
      assert.match(JSON.stringify(body), /SIGN_IN_FAILED.*127\.0\.0\.1 is not public: loopback/);
      assert.deepEqual(inside.requests, []);
    },
  },
];
