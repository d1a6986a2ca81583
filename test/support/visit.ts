import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request without the `Sec-Fetch` headers that `fetch` adds: as programs send it, or a browser where they are given. */
export async function visit(address: string, method = 'GET', headers: Record<string, string> = {}): Promise<Response> {
  const { status, given, body } = await new Promise<{
    status: number;
    given: Headers;
    body: string;
  }>((resolve, reject) => {
    const sent = request(address, { method, headers }, async (answer) => {
      const given = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) given.set(name, [value ?? ''].flat().join(', '));
      resolve({ status: answer.statusCode ?? 0, given, body: await text(answer) });
    });
    sent.on('error', reject).end();
  });
  return new Response(body === '' ? null : body, { status, headers: given });
}
