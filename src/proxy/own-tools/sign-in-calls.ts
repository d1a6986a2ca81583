import { BinderyError, toBinderyError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { SIGN_IN } from '../../gateway/identity/sign-in-tool.ts';
import { InputRequired } from '../approvals/approval-ports.ts';
import { describeClient, outcomeOf } from '../call/call-record.ts';
import type { ClientCall } from '../call/client-call.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { failedCallResult } from '../call/refuse-request.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { resultBytes } from '../message/answers.ts';
import type { Client } from '../message/client.ts';
import type { SignInGate } from './sign-in-gate.ts';

/** Servers of a profile that wait for this client's person to sign in. */
export function waitingServers(gate: SignInGate, view: ProfileView, { caller }: Client): readonly string[] {
  const wanted = view.settings.servers;
  return gate.waiting(caller).filter((server) => wanted === undefined || wanted.includes(server));
}

/** Whether a name is the tool for signing in. */
export function isSignIn(
  ports: GatewayPorts,
  { isBare }: ProfileView,
  name: unknown,
): ports is GatewayPorts & { readonly signIns: SignInGate } {
  return name === SIGN_IN && ports.signIns !== undefined && !isBare;
}

/** The gateway's own tool by which a client's person signs in to a server that lists no tools before. */
export async function callSignIn(
  ports: GatewayPorts & { readonly signIns: SignInGate },
  view: ProfileView,
  call: ClientCall,
): Promise<Uint8Array> {
  const { client, request } = call;
  const args = isObject(request.params?.arguments) ? request.params.arguments : {};
  const server = typeof args.server === 'string' ? args.server : '';
  const { signIns: gate } = ports;
  const { result, outcome } = await signIn(gate, view, call, server);
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

async function signIn(gate: SignInGate, view: ProfileView, { client, request, exchange }: ClientCall, server: string) {
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
