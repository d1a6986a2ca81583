import { expect, test } from 'vitest';
import { parseLayer } from '../config/config-layer.ts';
import { serversOf } from '../config/configured-servers.ts';
import { HostRedactor } from './host-redactor.ts';

const tokens = (name: string) => ({ access_token: `access-${name}`, refresh_token: `refresh-${name}` });

function configured(token: string) {
  const servers = { s: { transport: 'stdio', command: 'x', env: { API_TOKEN: token } } };
  return serversOf(parseLayer('global', 'f', JSON.stringify({ version: 1, mcp: { servers } })));
}

test('of renewed tokens, the current and the previous ones are masked, for each server', () => {
  const redactor = new HostRedactor();
  for (const name of ['one', 'two', 'three']) redactor.learnTokens([['a', tokens(name)]]);
  redactor.learnTokens([['b', tokens('other')]]);
  const seen = redactor.text('access-one access-two refresh-two access-three refresh-three refresh-other');
  expect(seen).toBe('access-one *** *** *** *** ***');
});

test('tokens that are learned again replace nothing', () => {
  const redactor = new HostRedactor();
  for (const name of ['old', 'new', 'new', 'new']) redactor.learnTokens([['a', tokens(name)]]);
  redactor.learnTokens([['a', {}]]);
  expect(redactor.text('access-old refresh-new')).toBe('*** ***');
});

test('secrets of a config stay masked after they are removed from it', () => {
  const redactor = new HostRedactor();
  for (const token of ['first-secret', 'second-secret', 'third-secret']) redactor.learnServers(configured(token), {});
  for (const name of ['one', 'two', 'three']) redactor.learnTokens([['s', tokens(name)]]);
  expect(redactor.text('first-secret second-secret third-secret')).toBe('*** *** ***');
});

test('a call of one server is masked with only that server’s secrets', () => {
  const redactor = new HostRedactor();
  const named = (id: string, token: string) => configured(token).map((server) => ({ ...server, id }));
  redactor.learnServers([...named('notes', 'notes-secret'), ...named('db', 'production-database')], {});
  redactor.learnTokens([['db', tokens('db')]]);
  const said = 'drop production-database with notes-secret and access-db';
  expect(['notes', 'db', 'nobody'].map((server) => redactor.of(server).text(said))).toEqual([
    'drop production-database with *** and access-db',
    'drop *** with notes-secret and ***',
    said,
  ]);
  redactor.learnServers(named('notes', 'another-secret'), {});
  expect(redactor.of('notes').known('notes-secret another-secret production-database')).toBe(
    '*** *** production-database',
  );
  expect(redactor.text(said)).toBe('drop *** with *** and ***');
});
