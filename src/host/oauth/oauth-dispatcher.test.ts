import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { oauthDispatcher } from './oauth-dispatcher.ts';

/** Which of the dispatchers carry requests to these origins. */
function carriers(serverUrl: string, configured: OAuthSpec, origins: readonly string[]): string[] {
  const used: string[] = [];
  const carrier = (name: string) => ({ dispatch: () => used.push(name) > 0 }) as unknown as Dispatcher;
  const dispatcher = oauthDispatcher(new URL(serverUrl), configured, {
    server: carrier('server'),
    anywhere: carrier('anywhere'),
    publicOnly: () => carrier('publicOnly'),
  });
  for (const origin of origins) dispatcher.dispatch({ origin, path: '/', method: 'GET' }, {});
  return used;
}

const ORIGINS = ['https://mcp.example', 'https://login.example', 'http://127.0.0.1:8080', 'http://mcp.example'];

test('a public server may name public addresses only, besides its own', () => {
  expect(carriers('https://mcp.example/mcp', {}, ORIGINS)).toEqual([
    'server',
    'publicOnly',
    'publicOnly',
    'publicOnly',
  ]);
});

test('a server that the user configured at a private address may name any address', () => {
  const urls = [
    'http://localhost:3000/mcp',
    'http://10.0.0.1/mcp',
    'http://[::1]:3000/mcp',
    'http://mcp.internal/',
    'http://mcp/',
  ];
  expect(urls.map((url) => carriers(url, {}, ['http://127.0.0.1:8080']))).toEqual(urls.map(() => ['anywhere']));
});

test('endpoints of the config, and servers for which it allows that, may be private', () => {
  const configured = { tokenUrl: 'http://127.0.0.1:8080/token' };
  expect([
    carriers('https://mcp.example/mcp', configured, ORIGINS),
    carriers('https://mcp.example/mcp', { allowPrivateEndpoints: true }, ORIGINS),
    carriers('https://mcp.example/mcp', { allowPrivateEndpoints: false }, ['http://127.0.0.1:8080']),
  ]).toEqual([
    ['server', 'publicOnly', 'anywhere', 'publicOnly'],
    ['server', 'anywhere', 'anywhere', 'anywhere'],
    ['publicOnly'],
  ]);
});
