import { expect, test } from 'vitest';
import { auditLine } from './audit-operations.ts';

test('the line of a call has time, outcome, tool, caller, duration and id [gateway:U9]', () => {
  const common = { chain: 'local/0', seq: 1, kind: 'call', call_id: 'c', time: 't', caller: 'me', outcome: 'ok' };
  expect(
    [
      { ...common, server: 's', tool: 'echo', name: 's__echo', total_us: 1_240 },
      { ...common, name: 's__gone', outcome: 'denied' },
      { ...common, kind: 'search', tool: 'find_tools', name: 'find_tools', total_us: 400 },
      { ...common, kind: 'admin', action: 'gateway.create_key', caller: undefined },
    ].map((record) => auditLine(record as never)),
  ).toEqual([
    't\tok\ts/echo\tme\t1.2 ms\tc\n',
    't\tdenied\ts__gone\tme\t- ms\tc\n',
    't\tok\tfind_tools\tme\t0.4 ms\tc\n',
    't\tok\tgateway.create_key\t-\t- ms\tc\n',
  ]);
});
