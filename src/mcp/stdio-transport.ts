import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import { parseJson } from '../contract/json.ts';
import { LIMITS } from '../contract/limits.ts';
import { LineReader, type UnreadLine } from './line-reader.ts';

export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Longest line, including its newline; a longer one is refused without buffering it. */
  readonly lineBytesMax: number;
}

type RequestId = string | number;
type Waiting = { readonly request: JSONRPCMessage; readonly id: RequestId } | { readonly refusal: string };

/**
 * MCP over two streams, one message per line. Invalid messages get a JSON-RPC error. Requests are handled one after the other. When
 * the input ends, pending answers are still written.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #lines: LineReader;
  /** Requests and refusals in the order of their lines. */
  readonly #waiting: Waiting[] = [];
  #current: RequestId | undefined;
  #isOpened = false;
  #isEnded = false;
  #isClosed = false;

  constructor({ stdin, stdout, lineBytesMax }: StdioTransportOptions) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#lines = new LineReader(lineBytesMax, (line) => this.#receive(line));
  }

  async start(): Promise<void> {
    this.#stdin.on('data', (chunk: Buffer) => this.#lines.push(chunk));
    this.#stdin.on('end', () => this.#end());
    this.#stdin.on('error', (error) => this.#fail(error));
    this.#stdout.on('error', (error) => this.#fail(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    const isWritten = this.#stdout.write(encodeMessage(message));
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#settle(message.id as RequestId);
    if (!isWritten) await once(this.#stdout, 'drain');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stdin.pause();
    this.onclose?.();
  }

  #receive(line: string | UnreadLine): void {
    if (typeof line !== 'string') {
      this.#refuse(line.id, -32700, 'Parse error');
      return;
    }
    if (line.trim() === '') return;
    const value = parseJson(line);
    const message = parseMessage(value);
    if (value === undefined) this.#refuse(null, -32700, 'Parse error');
    else if (!message) this.#refuse(idOf(value), -32600, 'Invalid Request');
    else if (this.#isOpened || opens(message)) this.#accept(message);
    else if (isJSONRPCRequest(message)) this.#refuse(message.id, -32600, 'Server not initialized');
  }

  #accept(message: JSONRPCMessage): void {
    this.#isOpened = true;
    if (isJSONRPCNotification(message)) this.#notify(message);
    else if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') {
      this.#waiting.push({ request: message, id: message.id });
      if (this.#waiting.length >= LIMITS.stdioWaitingMax) this.#stdin.pause();
      this.#deliverNext();
    } else this.onmessage?.(message);
  }

  /** A cancelled request gets no answer, so the next one must not wait for it. */
  #notify(message: JSONRPCMessage & { method: string; params?: unknown }): void {
    this.onmessage?.(message);
    if (message.method !== 'notifications/cancelled') return;
    const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
    const place = this.#waiting.findIndex((waiting) => 'id' in waiting && waiting.id === requestId);
    if (place >= 0) this.#waiting.splice(place, 1);
    if (requestId !== undefined) this.#settle(requestId);
  }

  #deliverNext(): void {
    while (this.#current === undefined) {
      const next = this.#waiting.shift();
      if (!next) break;
      if ('refusal' in next) this.#stdout.write(next.refusal);
      else {
        this.#current = next.id;
        this.onmessage?.(next.request);
      }
    }
    if (this.#isEnded && this.#current === undefined) void this.close();
    else if (this.#waiting.length < LIMITS.stdioWaitingMax && this.#stdin.isPaused()) this.#stdin.resume();
  }

  #settle(id: RequestId): void {
    if (id !== this.#current) return;
    this.#current = undefined;
    this.#deliverNext();
  }

  #end(): void {
    this.#lines.end();
    this.#isEnded = true;
    this.#deliverNext();
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#waiting.push({ refusal: `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n` });
    this.#deliverNext();
  }

  #fail(error: Error): void {
    this.onerror?.(error);
    void this.close();
  }
}

/** Envelope first, then the members of a result in alphabetical order, so that equal answers have equal bytes. */
function encodeMessage(message: JSONRPCMessage): string {
  const { jsonrpc, ...rest } = message;
  const id = 'id' in rest ? { id: rest.id } : {};
  return `${JSON.stringify({ jsonrpc, ...id, ...rest }, sortKeys)}\n`;
}

function sortKeys(key: string, value: unknown): unknown {
  if (key === '' || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Whether a message may be the first: the handshake of older clients, or a request that names its revision. */
function opens(message: JSONRPCMessage): boolean {
  if (!('method' in message)) return true;
  const meta = (message.params as { _meta?: Record<string, unknown> } | undefined)?._meta;
  return message.method === 'initialize' || meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
}

function parseMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): RequestId | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
