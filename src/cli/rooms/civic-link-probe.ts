import { Agent, request } from 'undici';
import type { LinkAnswer, LinkProbe } from '../../civic/lifecycle/visit-link.ts';

const TIMEOUT_MS = 15_000;

/** Visits links over the network, one request at a time and never further than the first answer. */
export function networkLinkProbe(): LinkProbe {
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  return {
    async request(method, url): Promise<LinkAnswer> {
      try {
        const { statusCode, headers, body } = await request(url, { method, dispatcher });
        // Only the head of the answer matters; the rest is not read.
        body.destroy();
        const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
        return { kind: 'answer', status: statusCode, ...(location === undefined ? {} : { location }) };
      } catch (thrown) {
        const { code } = thrown as NodeJS.ErrnoException;
        return { kind: code === 'ENOTFOUND' ? 'no_such_host' : 'unreachable' };
      }
    },
  };
}
