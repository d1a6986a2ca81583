import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import { FolderZones } from '../folder-zones.ts';

const store = new FolderZones(process.argv[2] as string, createMemoryLog());

for (let turn = 0; ; turn += 1) {
  const name = `zone-${turn % 5}`;
  const records = [{ type: 'MCP', value: `https://h${turn}-${process.pid}.example/`, priority: 1 }];
  const text = JSON.stringify({ identity: name, filler: 'x'.repeat(turn % 5000), records });
  await store.update(name, new Date().toISOString(), () => ({ text, by: `pid:${process.pid}` }));
  if (turn === 0) process.stdout.write('writing\n');
}
