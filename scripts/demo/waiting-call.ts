const ARGUMENTS = { name: 'ideas', content: 'A shelf for the atlas. A walk along the river. A bench at the old lock.' };
const VERSION = '2025-11-25';

/** Waits until the gateway lists the sample servers. */
export async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const isReady = await hasTool(url).catch(() => false);
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const AGAIN_MS = 1_000;

/** Calls a tool that needs approval, as a client would, and repeats the call until a person has decided. */
export async function waitingCall(url: string): Promise<void> {
  for (;;) {
    const answer = await call(url, 'tools/call', { name: 'notes__write_note', arguments: ARGUMENTS }).catch(() => '');
    if (answer !== '' && !answer.includes('APPROVAL_PENDING')) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

async function hasTool(url: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/tools?server=notes`);
  const { items } = (await response.json()) as { items: unknown[] };
  return items.length > 0;
}

async function call(url: string, method: string, params: object): Promise<string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
  };
  const send = (body: object) =>
    fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const client = { name: 'sample-writer', version: '1.0.0' };
  const opened = await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: VERSION, capabilities: {}, clientInfo: client },
  });
  await opened.text();
  const session = opened.headers.get('mcp-session-id');
  if (session) headers['mcp-session-id'] = session;
  await (await send({ method: 'notifications/initialized' })).text();
  return (await send({ id: 2, method, params })).text();
}
