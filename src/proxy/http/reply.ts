import type { Log } from '../../contract/ports.ts';
import type { UnreadReason } from '../../contract/unsent-answers.ts';
import { isPooled, releaseBuffer } from '../../wire/buffer-pool.ts';
import { asBuffer } from '../../wire/json-scan.ts';
import { describeClient } from '../call/call-record.ts';
import type { RecordPorts } from '../call/ports.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import type { EdgeResponse } from './edge-exchange.ts';
import { EventStream } from './event-stream.ts';
import { endCounted } from './write-counted.ts';

/** The answer to one POST: plain JSON, or an event stream if a message precedes the answer. */
export class Reply {
  readonly #response: EdgeResponse;
  readonly #acceptsStream: boolean;
  #headers: Record<string, string> | undefined;
  #stream: EventStream | undefined;

  readonly #onUnread: ((reason: UnreadReason) => void) | undefined;

  /** `onUnread` is called if the connection is closed because its client does not read the answer. */
  constructor(response: EdgeResponse, acceptsStream: boolean, onUnread?: (reason: UnreadReason) => void) {
    this.#response = response;
    this.#acceptsStream = acceptsStream;
    this.#onUnread = onUnread;
  }

  get canStream(): boolean {
    return this.#acceptsStream;
  }

  setHeader(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  send(message: Uint8Array): void {
    if (!this.#acceptsStream || this.#response.destroyed) return;
    this.#stream ??= new EventStream(this.#response, this.#headers, this.#onUnread);
    this.#stream.send(message);
  }

  finish(answer: Uint8Array, status = 200): void {
    if (this.#stream) {
      this.#stream.send(answer);
      this.#stream.end();
      return;
    }
    if (this.#response.destroyed || this.#response.headersSent) return;
    const headers = { 'content-type': 'application/json', 'content-length': answer.length };
    this.#response.writeHead(status, this.#headers ? { ...headers, ...this.#headers } : headers);
    if (answer.length < PROXY_LIMITS.joinedAnswerBytesMax) {
      // As a latin1 string it leaves with its head in one write.
      this.#response.end(asBuffer(answer).toString('latin1'), 'latin1');
      return;
    }
    // Release the buffer when the operating system has the bytes.
    endCounted(this.#response, answer, this.#onUnread, isPooled(answer) ? () => releaseBuffer(answer) : undefined);
  }

  /** Ends without an answer, because the client cancelled. */
  drop(): void {
    if (this.#stream) this.#stream.end();
    else if (!this.#response.headersSent) this.#response.writeHead(202).end();
  }
}

type UnreadPorts = Pick<RecordPorts, 'audit' | 'newCallId' | 'now'> & { readonly log: Log };

/** Records that a client did not read its answer. The record of the call itself is complete by then. */
export class UnreadAnswer {
  readonly #ports: UnreadPorts;
  readonly #client: Client;
  readonly #request: ClientRequest;
  #callId: string | undefined;

  constructor(ports: UnreadPorts, client: Client, request: ClientRequest) {
    this.#ports = ports;
    this.#client = client;
    this.#request = request;
  }

  readonly noteCall = (callId: string): void => {
    this.#callId = callId;
  };

  readonly record = (reason: UnreadReason): void => {
    const { audit, newCallId, now, log } = this.#ports;
    const call = this.#callId === undefined ? {} : { call_id: this.#callId };
    const entry = {
      kind: 'system',
      phase: 'single',
      call_id: newCallId(),
      time: now(),
      ...describeClient(this.#client),
      action: 'answer_unread',
      arguments: {
        ...call,
        method: this.#request.method.slice(0, PROXY_LIMITS.refusedNameCharsMax).toWellFormed(),
        reason,
      },
    } as const;
    audit.append(entry).catch((error: unknown) => log.error('an unread answer could not be recorded', { error }));
  };
}
