import { expect, test } from 'vitest';
import type { AskedTool } from '../../gateway/catalogue/asked-tools.ts';
import { DEFINITION_LIMITS } from '../../gateway/catalogue/definition-limits.ts';
import type { Host } from '../../host/host.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { AskedProbe } from './asked-probe.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

const tool = (name: string, chars = 10) => ({ name, description: 'x'.repeat(chars), inputSchema: { type: 'object' } });

/** Probes a server that lists these tools to all clients, of which only the first fits into its offer, and further ones to some. */
async function probed(shownToAll: readonly object[], shownToSome: readonly object[]): Promise<readonly AskedTool[]> {
  const listed = { tools: shownToAll };
  const shared = { era: '2025', transport: 'stdio', capabilities: { tools: {} } } as unknown as Upstream;
  const learned: (readonly AskedTool[])[] = [];
  const session = {
    ...shared,
    request: async () => ({ tools: [...shownToAll, ...shownToSome] }),
    close: async () => {},
  };
  const probe = new AskedProbe({
    host: { catalogueOf: () => listed, openSession: async () => session } as unknown as Host,
    catalogue: {
      offer: () => ({ tools: [{ definition: shownToAll[0], sha256: '' }] }),
      learnAsked: (_server: string, found: readonly AskedTool[]) => void learned.push(found),
    } as unknown as ServerCatalogue,
    sharing: () => 'session',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    onFound() {},
  });
  probe.enqueue('notes', shared);
  await probe.untilProbed(['notes']);
  return learned[0] ?? [];
}

test('a tool that every client is shown, and that is left out of a large offer, is not taken for one that only some see', async () => {
  const found = await probed([tool('kept'), tool('left_out')], [tool('asks')]);
  expect(found.map((one) => one.tool.name)).toEqual(['asks']);
});

test('a server that fills its offer with tools for every client is not probed', async () => {
  const count = 2 + Math.ceil(DEFINITION_LIMITS.toolsCharsMax / 4_000);
  const all = Array.from({ length: count }, (_, at) => tool(`t${at}`, 4_000));
  expect([await probed(all.slice(0, -100), [tool('asks')]), await probed(all, [tool('asks')])]).toEqual([
    [expect.objectContaining({ tool: tool('asks') })],
    [],
  ]);
});

test('tools that only some clients see have a limit of their own', async () => {
  const count = 2 + Math.ceil(DEFINITION_LIMITS.askedToolsCharsMax / 4_000);
  const some = Array.from({ length: count }, (_, at) => tool(`t${at}`, 4_000));
  const found = await probed([tool('kept')], some);
  expect([found.length > 100, found.length < count - 1]).toEqual([true, true]);
});
