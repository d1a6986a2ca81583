import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningBindery, rssOf } from '../test/support/running-bindery.ts';

/** The strain of a gateway during an attack. */
export interface Strain {
  /** The longest that `/healthz` took to answer. */
  readonly stallMs: number;
  readonly rssMb: number;
  /** A wrong answer that another caller got. */
  readonly wrongAnswer?: unknown;
}

/** Polls the health of a gateway, and calls it as another caller, until it is stopped. */
export function watchGateway(bindery: RunningBindery, everyMs = 50): () => Promise<Strain> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isUp = () => !signal.aborted && bindery.process.exitCode === null && bindery.process.signalCode === null;
  let stallMs = 0;
  let rssMb = 0;
  let wrongAnswer: unknown;
  const repeat = async (look: () => Promise<void>) => {
    while (isUp()) {
      // An attack may stop the gateway on purpose: a refused connection is not a stall.
      await look().catch((thrown: unknown) => {
        if (thrown instanceof assert.AssertionError && isUp()) wrongAnswer ??= thrown;
      });
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const looking = repeat(async () => {
    const started = performance.now();
    await (await fetch(`${bindery.url}/healthz`, { signal })).arrayBuffer();
    stallMs = Math.max(stallMs, performance.now() - started);
    rssMb = Math.max(rssMb, rssOf(bindery.process.pid));
  });
  const calling = repeat(otherCaller(bindery, signal));
  return async () => {
    stopping.abort();
    await Promise.all([looking, calling]);
    return { stallMs: Math.round(stallMs), rssMb, ...(wrongAnswer === undefined ? {} : { wrongAnswer }) };
  };
}

/** A client with the admin's credential, which every gateway accepts: it pings, and checks that each answer is its own. */
function otherCaller(bindery: RunningBindery, signal: AbortSignal): () => Promise<void> {
  let session: string | undefined;
  let id = 0;
  const send = async (method: string, params: object) => {
    id += 1;
    const response = await fetch(bindery.mcpUrl, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${bindery.admin()}`,
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    // It drains, or does not serve this profile.
    if (!response.ok) return undefined;
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    return { asked: id, answer: (await response.json()) as object };
  };
  return async () => {
    if (session === undefined) {
      const clientInfo = { name: 'watch', version: '1' };
      await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      return;
    }
    const got = await send('ping', {});
    if (got) assert.deepEqual(got.answer, { jsonrpc: '2.0', id: got.asked, result: {} });
  };
}
