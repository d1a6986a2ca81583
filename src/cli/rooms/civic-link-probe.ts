import { Agent, request } from 'undici';
import type { LinkAnswer, LinkProbe } from '../../civic/lifecycle/visit-link.ts';
import { UP_LIMITS } from '../limits.ts';

/** Visits links over the network, one request at a time and never further than the first answer. */
export function networkLinkProbe(): LinkProbe {
  const dispatcher = new Agent({
    connect: { timeout: UP_LIMITS.linkProbeTimeoutMs },
    headersTimeout: UP_LIMITS.linkProbeTimeoutMs,
    bodyTimeout: UP_LIMITS.linkProbeTimeoutMs,
  });
  return {
    async request(method, url, signal): Promise<LinkAnswer> {
      try {
        const { statusCode, headers, body } = await request(url, { method, dispatcher, signal: signal ?? null });
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
