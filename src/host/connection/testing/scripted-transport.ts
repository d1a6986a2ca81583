import type { JsonObject } from '../../../contract/json.ts';
import type { TransportKind } from '../../../wire/upstream.ts';
import type { Exchange, Transport } from '../../transports/transport.ts';

/** A message that was sent, and what stood beside it. */
export interface SentMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly beginsSession?: boolean | undefined;
}

/** What a server does with a request: a result, an error object, nothing at all, or a failure of the transport. */
export type Script = (message: SentMessage) => JsonObject | { readonly rpc: object } | undefined | Promise<JsonObject>;

/** A transport whose server is a function of the test. Every attempt to send is recorded. */
export class ScriptedTransport implements Transport {
  readonly kind: TransportKind;
  readonly answersOnOwnStream = false;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  readonly sent: SentMessage[] = [];
  /** What is under way, by the id of its request. */
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
