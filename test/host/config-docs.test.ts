import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLayer } from '../../src/host/config/config-layer.ts';
import { serversOf } from '../../src/host/config/configured-servers.ts';
import { ServerEntry } from '../../src/host/config/server-entry.ts';
import { hostRoom } from '../../src/host/operations.ts';
import { loadRules } from '../../src/host/permissions/permission-rules.ts';
import { root } from '../support/repository.ts';

const guide = readFileSync(join(root, 'docs', 'guides', 'host.md'), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string);

test('[host:H1] every config that the guide shows is valid, without a warning', () => {
  const layers = blocks('json').map((text) => parseLayer('global', 'guide', text));
  expect(layers.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect(loadRules(layers).warnings).toEqual([]);
  const servers = layers.flatMap(serversOf);
  expect(servers.map(({ id, reason, warnings }) => [id, reason, warnings])).toEqual([
    ['files', undefined, []],
    ['search', undefined, []],
  ]);
});

test('[host:H1] every key that the guide names is a key of an entry', () => {
  const rows = guide.split('\n').filter((line) => /^\| `/.test(line));
  const named = rows.flatMap((line) =>
    [...(line.split('|')[1] as string).matchAll(/`([a-z_]+)`/g)].map((match) => match[1] as string),
  );
  expect(named.filter((key) => !Object.hasOwn(ServerEntry.shape, key))).toEqual([]);
});

test('[host:C1] every command that the guide names exists', () => {
  const known = hostRoom.operations.flatMap(({ cli }) => (cli ? [cli.command] : []));
  const named = [...guide.matchAll(/bindery (mcp (?:auth )?[a-z]+|tools [a-z]+)/g)].map((match) => match[1] as string);
  expect(named.filter((command) => !known.includes(command))).toEqual([]);
  expect(named.length).toBeGreaterThan(8);
});
