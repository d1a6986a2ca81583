import type { Dispatcher } from 'undici';
import type { LinkAnswer, LinkProbe } from '../../civic/lifecycle/visit-link.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { UP_LIMITS } from '../../runtime/limits.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** Probes links over the network, one request at a time, without redirects. Public addresses only. */
export function networkLinkProbe(
  dispatcher: Dispatcher = createPublicAgent({
    connectTimeoutMs: UP_LIMITS.linkProbeTimeoutMs,
    answerTimeoutMs: UP_LIMITS.linkProbeTimeoutMs,
  }),
): LinkProbe {
  return {
    async request(method, url, signal): Promise<LinkAnswer> {
      try {
        const { statusCode, headers, body } = await undici().request(url, {
          method,
          dispatcher,
          signal: signal ?? null,
        });
        // Only the head of the answer matters. Destroying an unread body emits an error, which is ignored.
        body.on('error', () => {}).destroy();
        const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
        return { kind: 'answer', status: statusCode, ...(location === undefined ? {} : { location }) };
      } catch (thrown) {
        const { code } = thrown as NodeJS.ErrnoException;
        return { kind: code === 'ENOTFOUND' ? 'no_such_host' : 'unreachable' };
      }
    },
  };
}
