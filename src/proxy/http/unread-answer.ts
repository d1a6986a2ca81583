import type { UnreadReason } from '../../contract/unsent-answers.ts';
import { describeClient } from '../call/call-record.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client, ClientRequest } from '../message/client.ts';

/** Records that a client did not read its answer. The call itself has ended by then, and is recorded as what it was. */
export class UnreadAnswer {
  readonly #ports: GatewayPorts;
  readonly #client: Client;
  readonly #request: ClientRequest;
  #callId: string | undefined;

  constructor(ports: GatewayPorts, client: Client, request: ClientRequest) {
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
