import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type RunningFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startSessionFixture();
  gateway = await startTestGateway({ servers: [{ id: 's', transport: 'http', url: fixture.url }] });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

/** Capabilities of so many bytes of JSON. */
function capabilitiesOf(bytes: number) {
  const empty = { experimental: { padding: '' } };
  return { experimental: { padding: 'x'.repeat(bytes - JSON.stringify(empty).length) } };
}

/** Capabilities of so many levels. */
function nested(levels: number): object {
  return JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
}

const { clientCapabilityBytesMax, clientCapabilityDepthMax, clientInfoBytesMax } = PROXY_LIMITS;
const longestName = 'x'.repeat(clientInfoBytesMax - JSON.stringify({ name: '', version: '1.0.0' }).length);

const declarations = [
  { capabilities: capabilitiesOf(clientCapabilityBytesMax), refused: false },
  { capabilities: capabilitiesOf(clientCapabilityBytesMax + 1), refused: true },
  { capabilities: capabilitiesOf(3_000_000), refused: true },
  { capabilities: nested(clientCapabilityDepthMax), refused: false },
  { capabilities: nested(clientCapabilityDepthMax + 1), refused: true },
  { name: longestName, refused: false },
  { name: `${longestName}x`, refused: true },
  { name: 'x'.repeat(3_000_000), refused: true },
];

test.each(declarations)('what a 2025 client declares has a limit (case %#)', async ({ refused, ...declared }) => {
  const opened = openSession(gateway.url, declared);
  if (refused) await expect(opened).rejects.toThrow('CLIENT_DECLARATION_TOO_LARGE');
  else expect((await (await opened).request('tools/list')).result).toBeDefined();
});

test.each(declarations)('what a 2026 client declares has a limit (case %#)', async ({ refused, ...declared }) => {
  const { capabilities = {}, name = 'raw' } = declared;
  const answer = await requestModern(gateway.url, 'tools/list', {}, { capabilities, name });
  expect(JSON.stringify(answer).includes('CLIENT_DECLARATION_TOO_LARGE')).toBe(refused);
});
