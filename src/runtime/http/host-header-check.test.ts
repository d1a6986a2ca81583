import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { hostHeaderCheck } from './host-header-check.ts';

const accepted = (baseUrl: string, hosts: readonly string[], ...ownUrls: string[]) => {
  const accepts = hostHeaderCheck(
    () => baseUrl,
    () => [],
    ownUrls,
  );
  return hosts.filter((host) => accepts(host, undefined));
};
const HOSTS = ['localhost:1', '127.0.0.1:1', '[::1]:1', '10.0.0.7:1', '[fe80::1]:1', 'evil.example', hostname()];

test('on loopback nothing but loopback is this server [gateway:E5]', () => {
  expect(accepted('http://127.0.0.1:1', HOSTS)).toEqual(['localhost:1', '127.0.0.1:1', '[::1]:1']);
});

test('names that lead to loopback or look like it are not this server [gateway:E5]', () => {
  const others = ['127.8.9.1:1', 'a.localhost:1', '[::ffff:127.0.0.1]:1', 'localhost.evil.example', '0.0.0.0:1'];
  expect(accepted('http://127.0.0.1:1', others)).toEqual([]);
});

test('bound to every address it is any address, and the name of the machine, but no other name', () => {
  for (const bound of ['http://0.0.0.0:1', 'http://[::]:1'])
    expect(accepted(bound, HOSTS)).toEqual(HOSTS.filter((host) => host !== 'evil.example'));
});

test('the address of the corpus and the one for other nodes are this server [gateway:D5]', () => {
  const urls = ['https://civic.example/corpus', 'http://node-a:7717'];
  expect(accepted('http://127.0.0.1:1', ['civic.example', 'node-a:7717', 'node-b:7717'], ...urls)).toEqual([
    'civic.example',
    'node-a:7717',
  ]);
});

test('a page elsewhere is refused by its Origin [gateway:E5]', () => {
  const accepts = hostHeaderCheck(
    () => 'http://0.0.0.0:1',
    () => [],
    [],
  );
  expect([accepts('10.0.0.7:1', 'http://10.0.0.7:1'), accepts('10.0.0.7:1', 'https://evil.example')]).toEqual([
    true,
    false,
  ]);
});
