import assert from 'node:assert/strict';
import { openSession } from '../test/support/raw-client.ts';
import type { RunningBindery } from '../test/support/running-bindery.ts';

/** Generous, for a busy machine: attacks stopped the gateway for up to 38 s. The runner judges the longest stall. */
const LONGEST_CALL_MS = 5_000;

/** Another caller calls the good server `notes` until the attack is over: each answer is its own, and none takes long. */
export async function besideOthers(bindery: RunningBindery, attack: () => Promise<unknown>): Promise<void> {
  const session = await openSession(bindery.mcpUrl, { name: 'other' });
  let isOver = false;
  let longestMs = 0;
  const calling = (async () => {
    for (let call = 0; !isOver; call += 1) {
      const began = performance.now();
      const answer = await session.request('tools/call', { name: 'notes__echo', arguments: { call } });
      longestMs = Math.max(longestMs, performance.now() - began);
      assert.deepEqual(answer.result, { content: [{ type: 'text', text: JSON.stringify({ call }) }] });
    }
  })();
  const attacking = attack();
  try {
    await Promise.race([attacking, calling]);
  } finally {
    isOver = true;
  }
  await calling;
  assert.ok(longestMs < LONGEST_CALL_MS, `a call of another caller took ${Math.round(longestMs)} ms`);
}
