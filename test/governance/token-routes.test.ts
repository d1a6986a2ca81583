import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wirings } from '../../src/cli/rooms.ts';
import type { AnyOperation } from '../../src/contract/operation.ts';

const guide = readFileSync(new URL('../../docs/guides/access.md', import.meta.url), 'utf8');

/** What the token that all agents share reads: what changes nothing, is guarded, and says nothing of callers. */
const readable = wirings
  .flatMap(({ room }) => room.operations as readonly AnyOperation[])
  .flatMap(({ http, hints }) =>
    http !== false && http.path.startsWith('/v1/') && http.access !== 'open' && hints.readOnly && !http.showsCallers
      ? [`${http.method} ${http.path}`]
      : [],
  );

test('the guide lists every route that the shared token reads, and no other [gateway:D5]', () => {
  const [, section = ''] = /\n#### What `--token` reads\n([\s\S]*?)\n#/.exec(guide) ?? [];
  const listed = [...section.matchAll(/`((?:GET|POST) [^`]+)`/g)].map(([, route]) => route);
  expect(listed.toSorted()).toEqual([...readable, 'GET /metrics'].toSorted());
});
