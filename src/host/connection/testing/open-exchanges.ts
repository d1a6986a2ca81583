import type { RawRequestOptions, UpstreamError } from '../../../wire/upstream.ts';
import { type ExchangeHooks, Exchanges } from '../exchange/exchanges.ts';
import { type Script, ScriptedTransport } from './scripted-transport.ts';

/** Exchanges with a scripted server, and a record of all callbacks. */
export function openExchanges(
  script: Script = () => undefined,
  more: Partial<ExchangeHooks> = {},
  kind: 'stdio' | 'http' = 'stdio',
) {
  const transport = new ScriptedTransport(kind, script);
  const seen = { heard: [] as string[], closed: [] as string[], trouble: [] as string[], idle: 0 };
  const exchanges = new Exchanges(transport, {
    era: () => '2025',
    onNotification: ({ method, params }) => seen.heard.push(`${method} ${JSON.stringify(params) ?? ''}`.trim()),
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: ({ kind: why }) => seen.closed.push(why),
    onTrouble: ({ kind: why }) => seen.trouble.push(why),
    onIdle: () => {
      seen.idle += 1;
    },
    ...more,
  });
  const outcomes: Record<number, string> = {};
  const request = (id: number, options: RawRequestOptions = {}, method = 'tools/call', progressToken?: number) => {
    outcomes[id] = 'pending';
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method }));
    exchanges
      .exchange({ bytes, id, method, ...(progressToken === undefined ? {} : { progressToken }) }, options, { h: '1' })
      .then(
        ({ envelope }) => {
          outcomes[id] = envelope.kind;
        },
        (error: UpstreamError) => {
          outcomes[id] = error.kind;
        },
      );
  };
  return { transport, exchanges, seen, outcomes, request };
}
