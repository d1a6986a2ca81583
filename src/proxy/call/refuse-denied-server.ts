import { judgeServer, type Now } from '../../gateway/policy/decide.ts';
import { RPC } from '../../wire/revisions.ts';
import type { Client } from '../message/client.ts';
import { RpcFailure } from '../message/rpc-failure.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** Throws where policy allows a client nothing of a server; without a clock: at any time. */
export function refuseDeniedServer(ports: GatewayPorts, { profile }: Client, server: string, now?: Now): void {
  if (judgeServer(ports.policyLayers(profile), server, now).decision.decision !== 'deny') return;
  throw new RpcFailure(RPC.internalError, 'POLICY_DENIED: Policy does not allow this server', {
    data: { code: 'POLICY_DENIED', server },
  });
}
