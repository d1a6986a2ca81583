import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OtlpSpan } from '../../src/gateway/trace/call-span.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly resource: Readonly<Record<string, string>>;
  readonly spans: readonly OtlpSpan[];
}

/** A collector of OTLP over HTTP that keeps what it gets, and answers with the statuses that it is told, then with 200. */
export async function startCollector() {
  const received: Received[] = [];
  const statuses: number[] = [];
  let isStuck = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (isStuck) return;
    const status = statuses.shift() ?? 200;
    if (status === 200) {
      const [{ resource, scopeSpans }] = JSON.parse(body).resourceSpans;
      const attributes = resource.attributes.map(
        ({ key, value }: { key: string; value: { stringValue: string } }) => [key, value.stringValue] as const,
      );
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        resource: Object.fromEntries(attributes),
        spans: scopeSpans[0].spans,
      });
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => received.flatMap(({ spans }) => spans),
    /** The next answers. */
    answerWith: (...next: number[]) => void statuses.push(...next),
    /** Answers nothing any more, or again. */
    stick: (stuck: boolean) => {
      isStuck = stuck;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The attributes of a span as an object. */
export function attributesOf({ attributes }: OtlpSpan): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as string]));
}
