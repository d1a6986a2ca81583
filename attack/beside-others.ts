import assert from 'node:assert/strict';
import { openSession } from '../test/support/raw-client.ts';
import type { RunningBindery } from '../test/support/running-bindery.ts';

/** Generous: attacks stopped the gateway for up to 38 s. The runner judges the longest stall. */
const LONGEST_CALL_MS = 5_000;
/** On a busy machine a call may take this many times as long as the longest of the calls before the attack. */
const SLOWER_MAX = 50;
const CALLS_BEFORE = 10;

/** Another caller calls the good server `notes` until the attack is over: each answer is its own, and none takes long. */
export async function besideOthers(bindery: RunningBindery, attack: () => Promise<unknown>): Promise<void> {
  const session = await openSession(bindery.mcpUrl, { name: 'other' });
  let isOver = false;
  let longestMs = 0;
  const callOnce = async (call: number) => {
    const began = performance.now();
    const answer = await session.request('tools/call', { name: 'notes__echo', arguments: { call } });
    longestMs = Math.max(longestMs, performance.now() - began);
    assert.deepEqual(answer.result, { content: [{ type: 'text', text: JSON.stringify({ call }) }] });
  };
  for (let call = 0; call < CALLS_BEFORE; call += 1) await callOnce(call);
  const allowedMs = Math.max(LONGEST_CALL_MS, SLOWER_MAX * longestMs);
  const calling = (async () => {
    for (let call = CALLS_BEFORE; !isOver; call += 1) await callOnce(call);
  })();
  const attacking = attack();
  try {
    await Promise.race([attacking, calling]);
  } finally {
    isOver = true;
  }
  await calling;
  assert.ok(longestMs < allowedMs, `a call of another caller took ${Math.round(longestMs)} ms`);
}
