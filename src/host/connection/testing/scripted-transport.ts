import type { JsonObject } from '../../../contract/json.ts';
import type { TransportKind } from '../../../wire/upstream.ts';
import type { Exchange, Transport } from '../../transports/transport.ts';

/** A sent message with its options. */
export interface SentMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly beginsSession?: boolean | undefined;
}

/** A server's reaction to a request: a result, an error object, no answer, or a transport failure. */
export type Script = (message: SentMessage) => JsonObject | { readonly rpc: object } | undefined | Promise<JsonObject>;

/** A transport to a scripted server; records every send. */
export class ScriptedTransport implements Transport {
  readonly kind: TransportKind;
  readonly answersOnOwnStream = false;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  readonly sent: SentMessage[] = [];
  /** The exchanges in flight, by request id. */
  readonly exchanges = new Map<number | string, Exchange>();
  closes = 0;
  script: Script;
  starting: () => Promise<void> = async () => {};

  constructor(kind: TransportKind, script: Script = () => ({})) {
    this.kind = kind;
    this.script = script;
  }

  start(): Promise<void> {
    return this.starting();
  }

  async send(bytes: Uint8Array, exchange?: Exchange): Promise<void> {
    const message = JSON.parse(Buffer.from(bytes).toString()) as SentMessage;
    this.sent.push({ ...message, headers: exchange?.headers, beginsSession: exchange?.beginsSession });
    if (exchange && message.id !== undefined) this.exchanges.set(message.id, exchange);
    if (message.method === undefined || message.id === undefined) return;
    const answer = await this.script(message);
    if (answer === undefined) return;
    this.say({ id: message.id, ...('rpc' in answer ? { error: answer.rpc } : { result: answer }) });
  }

  async close(): Promise<void> {
    this.closes += 1;
  }

  say(message: object): void {
    this.onMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  /** The methods that were sent, in order. */
  get methods(): string[] {
    return this.sent.map(({ method }) => method ?? 'answer');
  }
}
