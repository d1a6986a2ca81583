import { expect, test } from 'vitest';
import { askedOf, findAskedTools, offersFor } from './asked-tools.ts';
import { offeredTools, type ServerOffer } from './server-offer.ts';
import type { AskedCapability } from './tool-definition.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const TOOLS: readonly (readonly [string, readonly AskedCapability[]])[] = [
  ['plain', []],
  ['asks', ['elicitation']],
  ['thinks', ['sampling']],
  ['does_both', ['elicitation', 'sampling']],
];
const shownTo = async (declared: readonly AskedCapability[]) =>
  TOOLS.filter(([, needs]) => needs.every((need) => declared.includes(need))).map(([name]) => tool(name));

test('each tool that only some clients see is found with the capabilities that it needs', async () => {
  const asked: (readonly AskedCapability[])[] = [];
  const found = await findAskedTools(new Set(['plain']), (declared) => {
    asked.push(declared);
    return shownTo(declared);
  });
  expect(found.map(({ tool: { name }, needs }) => [name, needs])).toEqual([
    ['asks', ['elicitation']],
    ['thinks', ['sampling']],
    ['does_both', ['elicitation', 'sampling', 'roots']],
  ]);
  expect(asked).toEqual([['elicitation', 'sampling', 'roots'], ['elicitation'], ['sampling'], ['roots']]);
});

test('a server that shows the same to all clients is asked once', async () => {
  let times = 0;
  const found = await findAskedTools(new Set(['plain']), async () => {
    times += 1;
    return [tool('plain')];
  });
  expect([found, times]).toEqual([[], 1]);
});

test('a client is offered only the tools for its capabilities', () => {
  const [plain, asks] = offeredTools([tool('plain'), tool('asks')], { pinned: false, inUse: new Map() });
  const tools = [plain, { ...asks, needs: ['elicitation'] }];
  const offer = { server: 's', tools } as unknown as ServerOffer;
  const names = (capabilities: object) =>
    offersFor([offer], askedOf(capabilities as never)).flatMap((one) =>
      one.tools.map(({ definition }) => definition.name),
    );
  expect([names({}), names({ sampling: {} }), names({ elicitation: { form: {} } })]).toEqual([
    ['plain'],
    ['plain'],
    ['plain', 'asks'],
  ]);
});
