import { judgeServer } from '../../gateway/policy/decide.ts';
import { RPC } from '../../wire/revisions.ts';
import type { Client } from '../message/client.ts';
import { RpcFailure } from '../message/rpc-failure.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** Throws where policy allows a client nothing of a server. */
export function refuseDeniedServer(ports: GatewayPorts, { profile }: Client, server: string): void {
  if (judgeServer(ports.policyLayers(profile), server).decision.decision !== 'deny') return;
  throw new RpcFailure(RPC.internalError, 'POLICY_DENIED: Policy does not allow this server', {
    data: { code: 'POLICY_DENIED', server },
  });
}
