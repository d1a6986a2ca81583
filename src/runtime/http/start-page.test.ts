import { expect, test } from 'vitest';
import type { ServedRoom } from '../up-settings.ts';
import { startPage } from './start-page.ts';

const room = {
  bound: { room: { name: 'gateway', summary: 'one endpoint' } },
  tryNext: () => ['curl http://127.0.0.1:7717/v1/servers', 'bindery mcp status'],
} as unknown as ServedRoom;

test('if callers need a key, the snippets of the page read it from the variable, and the page says how to create one', () => {
  const open = startPage([room], 'http://127.0.0.1:7717', false);
  expect(open).toContain('curl http://127.0.0.1:7717/v1/servers\nbindery mcp status');
  expect(open).not.toContain('BINDERY_KEY');
  const closed = startPage([room], 'http://127.0.0.1:7717', true);
  expect(closed).toContain('export BINDERY_KEY=&quot;$(bindery keys create my-client --scope call,read)&quot;');
  expect(closed).toContain('curl -H &quot;Authorization: Bearer $BINDERY_KEY&quot; http://127.0.0.1:7717/v1/servers');
  expect(closed).toContain(`Bearer \${BINDERY_KEY}`);
});
