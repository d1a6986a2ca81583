import { expect } from 'vitest';

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: number | string | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A message that came on a stream before the answer. */
export type Earlier = { readonly method: string; readonly params?: Record<string, unknown>; readonly id?: string };

/** The body of a refusal, whatever it says. */
export function rpcError(id: unknown, code: number) {
  return { jsonrpc: '2.0', id, error: expect.objectContaining({ code }) };
}

export interface SessionOptions {
  readonly protocolVersion?: string;
  readonly capabilities?: object;
  readonly name?: string;
  /** Of every request, such as a credential. */
  readonly headers?: Record<string, string>;
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A 2025 session whose messages are written by hand: ids and tokens are the test's to choose. */
export async function openSession(url: string, options: SessionOptions = {}) {
  const { protocolVersion = '2025-11-25', capabilities = {}, name = 'raw' } = options;
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...options.headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion, capabilities, clientInfo: { name, version: '1.0.0' } },
    }),
  });
  const id = response.headers.get('mcp-session-id');
  const introduction = (await response.json()) as RpcAnswer;
  if (id === null) throw new Error(`no session: ${JSON.stringify(introduction)}`);
  return {
    id,
    introduction: introduction.result as { capabilities: object; serverInfo: { name: string } },
    ...sessionAt(url, id, options.headers),
  };
}

/** A session that is there, at any address that serves it. */
export function sessionAt(url: string, id: string, more: Record<string, string> = {}, firstId = 0) {
  const headers = { ...HEADERS, ...more, 'mcp-session-id': id };
  const send = (message: object, signal: AbortSignal | null = null) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), signal });
  let last = firstId;
  return {
    send,
    /** Sends a request; `onEarlier` gets what comes before its answer. */
    async request(method: string, params: object = {}, wish: RequestMore = {}): Promise<RpcAnswer> {
      last += 1;
      return readAnswer(await send({ id: wish.id ?? last, method, params }, wish.signal), wish.onEarlier);
    },
    end: () => fetch(url, { method: 'DELETE', headers }),
    /** Opens the stream for what servers say by themselves; resolves when it is open. */
    async listen(onMessage: (message: Earlier) => void): Promise<() => void> {
      const closing = new AbortController();
      const stream = await fetch(url, {
        headers: { ...more, accept: 'text/event-stream', 'mcp-session-id': id },
        signal: closing.signal,
      });
      void eachEvent(stream, onMessage).catch(() => {});
      return () => closing.abort();
    },
  };
}

export interface RequestMore {
  readonly id?: number | string;
  readonly onEarlier?: (message: Earlier) => void;
  /** Its client goes away when this is aborted. */
  readonly signal?: AbortSignal;
}

/** One request of revision 2026-07-28, written by hand. */
export async function requestModern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  more: RequestMore & {
    readonly capabilities?: object;
    readonly headers?: Record<string, string>;
    readonly name?: string;
  } = {},
): Promise<RpcAnswer> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': more.capabilities ?? {},
    'io.modelcontextprotocol/clientInfo': { name: more.name ?? 'raw', version: '1.0.0' },
  };
  const name = params.name ?? params.uri;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...HEADERS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...more.headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: more.id ?? 1,
      method,
      params: { ...params, _meta: { ...(params._meta as object), ...meta } },
    }),
    ...(more.signal ? { signal: more.signal } : {}),
  });
  return readAnswer(response, more.onEarlier);
}

async function readAnswer(response: Response, onEarlier?: (message: Earlier) => void): Promise<RpcAnswer> {
  if (!response.headers.get('content-type')?.includes('text/event-stream')) return (await response.json()) as RpcAnswer;
  let answer: RpcAnswer | undefined;
  await eachEvent(response, (message) => {
    if ('method' in message) onEarlier?.(message);
    else answer = message as unknown as RpcAnswer;
  });
  if (!answer) throw new Error('the stream ended without an answer');
  return answer;
}

/** Reads server-sent events until the stream ends. */
export async function eachEvent(response: Response, onMessage: (message: Earlier) => void): Promise<void> {
  let buffered = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    buffered += decoder.decode(chunk, { stream: true });
    for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
      const data = buffered
        .slice(0, end)
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
      buffered = buffered.slice(end + 2);
      if (data) onMessage(JSON.parse(data));
    }
  }
}
