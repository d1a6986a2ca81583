import { BinderyError, toBinderyError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { SIGN_IN } from '../../gateway/identity/sign-in-tool.ts';
import { InputRequired } from '../approvals/approval-gate.ts';
import { describeClient, outcomeOf } from '../call/call-record.ts';
import { failedCallResult } from '../call/failure-answer.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import type { SignInGate } from './sign-in-gate.ts';

/** Servers of a profile that wait for this client's person to sign in. */
export function waitingServers(gate: SignInGate, view: ProfileView, { caller }: Client): readonly string[] {
  const wanted = view.settings.servers;
  return gate.waiting(caller).filter((server) => wanted === undefined || wanted.includes(server));
}

/** The gateway's own tool by which a client's person signs in to a server before it has any tools to call. */
export async function callSignIn(
  ports: GatewayPorts,
  gate: SignInGate,
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
): Promise<Uint8Array> {
  const args = isObject(request.params?.arguments) ? request.params.arguments : {};
  const server = typeof args.server === 'string' ? args.server : '';
  const { result, outcome } = await signIn(gate, view, client, request, exchange, server);
  const call_id = ports.newCallId();
  try {
    await ports.audit.append({
      kind: 'call',
      phase: 'single',
      call_id,
      time: ports.now(),
      ...describeClient(client),
      ...(gate.isPerUser(server) ? { server } : {}),
      tool: SIGN_IN,
      name: SIGN_IN,
      outcome,
    });
  } catch (thrown) {
    return resultBytes(request, failedCallResult(toBinderyError(thrown), client, { tool: SIGN_IN, call_id }));
  }
  return resultBytes(request, result);
}

async function signIn(
  gate: SignInGate,
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  server: string,
) {
  const { settings } = view;
  const isOurs = gate.isPerUser(server) && (settings.servers === undefined || settings.servers.includes(server));
  try {
    if (!isOurs) throw new BinderyError('INVALID_ARGUMENTS', { detail: 'server must be one that waits for a sign-in' });
    if (waitingServers(gate, view, client).includes(server))
      await gate.requireSignIn(client, request, exchange, server);
    const text = `Signed in to ${server}. Its tools are listed now.`;
    const complete = client.era === '2026' ? { resultType: 'complete' } : {};
    return { result: JSON.stringify({ ...complete, content: [{ type: 'text', text }] }), outcome: 'ok' as const };
  } catch (thrown) {
    if (thrown instanceof InputRequired) return { result: JSON.stringify(thrown.result), outcome: 'ok' as const };
    const error = toBinderyError(thrown, 'AUTH_REQUIRED');
    const members = isOurs ? { server, tool: SIGN_IN } : {};
    return { result: failedCallResult(error, client, members), outcome: outcomeOf(error) };
  }
}
