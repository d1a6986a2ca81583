import type { JsonObject } from '../../contract/json.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import { foundToolsText } from '../../gateway/search/find-tools.ts';
import { FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import { describeClient, digestIfAny, traceIdOf } from '../call/call-record.ts';
import type { ClientCall } from '../call/client-call.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import type { ClientViews } from '../lists/client-views.ts';
import { seenView, unprobedFor } from '../lists/list-answers.ts';
import { resultBytes } from '../message/answers.ts';
import { waitingServers } from './sign-in-calls.ts';

/** `find_tools`: searches all tools that a client sees, and records the results. */
export async function findTools(
  ports: GatewayPorts,
  views: ClientViews,
  { client, request, exchange }: ClientCall,
  args: JsonObject,
): Promise<Uint8Array> {
  const started = process.hrtime.bigint();
  if (ports.undiscovered().length > 0) await ports.untilDiscovered();
  const view = await seenView(ports, views, client, { signal: exchange.signal });
  const { signIns } = ports;
  const waiting = signIns ? waitingServers(signIns, view, client).map((server) => `${server}: AUTH_REQUIRED`) : [];
  const unknown = new Set([...ports.undiscovered(), ...unprobedFor(ports, view, client)]);
  const found = await view.search().find(args, [...waiting, ...unknown]);
  const text = foundToolsText(found);
  const callId = ports.newCallId();
  const trace = traceIdOf(request);
  ports.noteTrace?.(callId, request.params?._meta);
  await ports.audit.append({
    kind: 'search',
    phase: 'single',
    call_id: callId,
    time: ports.now(),
    ...describeClient(client),
    tool: FIND_TOOLS.name,
    name: FIND_TOOLS.name,
    arguments: ports.redactor.value(args),
    ...digestIfAny(args),
    ...(trace ? { trace_id: trace } : {}),
    outcome: 'ok',
    result_bytes: Buffer.byteLength(text),
    result_sha256: sha256Hex(text),
    total_us: Number((process.hrtime.bigint() - started) / 1_000n),
  });
  const names = found.tools.map(({ name }) => name);
  if (views.found.add(client, names)) ports.listsChanged();
  const result = {
    ...(client.era === '2026' ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text }],
    structuredContent: found,
  };
  return resultBytes(request, JSON.stringify(result));
}
