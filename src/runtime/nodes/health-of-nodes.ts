import { toUpstreamError } from '../../host/connection/exchange/exchanges.ts';
import { CONNECTION_LIMITS } from '../../host/connection/limits.ts';
import { ReportedByPeer } from '../../host/connection/supervision/health-watch.ts';
import type { HostPorts } from '../../host/host.ts';
import type { SharedHealth } from '../../store/postgres/shared/shared-health.ts';
import { UpstreamError } from '../../wire/upstream.ts';

/** Nodes check at about the same time. Within this part of the interval a node uses the result of the first one. */
const SHARE_OF_INTERVAL = 0.8;

export interface HealthOptions {
  readonly shared?: { readonly health: SharedHealth | undefined } | undefined;
  readonly follower?: object | undefined;
  readonly probe?: HostPorts['probe'] | undefined;
}

/** Chooses who runs health checks: a single process itself, one of several nodes for all of them; a follower never does. */
export function healthOf({ shared, follower, probe }: HealthOptions): {
  healthOf?: NonNullable<HostPorts['healthOf']>;
} {
  if (follower) return { healthOf: () => undefined };
  return shared?.health ? { healthOf: healthOfNodes(shared.health, probe?.intervalMs) } : {};
}

/**
 * Health checks with several nodes: one node runs the check, and all use its result. If a server has no check of its own, errors that
 * connected nodes reported count.
 */
export function healthOfNodes(
  health: Pick<SharedHealth, 'check' | 'errorElsewhere'>,
  intervalMs: number = CONNECTION_LIMITS.probeIntervalMs,
): NonNullable<HostPorts['healthOf']> {
  return ({ id, transport }, own) => {
    // Each node has its own process.
    if (transport === 'stdio') return undefined;
    if (!own) {
      return async (_signal, isConnected) => {
        const found = isConnected ? undefined : health.errorElsewhere(id);
        if (found) throw new ReportedByPeer(`${found.error} (seen by node ${found.node})`);
        return false;
      };
    }
    return async (signal, isConnected) => {
      const look = () =>
        own(signal, isConnected).then(
          () => null,
          (thrown: unknown) => toUpstreamError(thrown).message,
        );
      // Without the database each node checks for itself.
      const error = await health.check(id, intervalMs * SHARE_OF_INTERVAL, look).catch(look);
      if (error !== null) throw new UpstreamError('refused', error);
      return true;
    };
  };
}
