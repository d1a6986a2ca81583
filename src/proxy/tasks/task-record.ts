import { toBinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { judgeServer } from '../../gateway/policy/decide.ts';
import { RPC } from '../../wire/revisions.ts';
import { microsSince } from '../call/call-context.ts';
import { decidedRule, describeClient, digestIfAny, resultRecord, traceIdOf } from '../call/call-record.ts';
import type { Forwarded } from '../call/client-call.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';

/** A request about a task, to be recorded. */
export interface TaskRequest {
  readonly client: Client;
  readonly request: ClientRequest;
  readonly server: string;
  /** Throws if it may not be sent. Returns the answers that it carries to questions of the task. */
  readonly check: () => JsonObject | undefined;
  readonly send: (answers: JsonObject | undefined) => Promise<Forwarded>;
}

/** Records a request about a task like a call: before it is sent and before its answer leaves, or as refused. */
export async function recordedTask(ports: GatewayPorts, task: TaskRequest): Promise<Uint8Array> {
  const started = performance.now();
  const entry = describeTask(ports, task);
  const append = (more: Partial<AuditEntry>) =>
    ports.audit.append({ ...entry, ...more }, task.server).catch((thrown: unknown) => {
      const { code, row } = toBinderyError(thrown);
      throw new RpcFailure(RPC.internalError, `${code}: ${row.title}`, { data: { code, call_id: entry.call_id } });
    });
  let answers: JsonObject | undefined;
  try {
    answers = task.check();
  } catch (thrown) {
    await append({ phase: 'single', decision: 'deny', rule: { rule: ruleOf(thrown) }, outcome: 'denied' });
    throw thrown;
  }
  await append(answers ? { answers: ports.redactor.of(task.server).value(answers) } : {});
  const { kind, call_id } = entry;
  const end = (outcome: Partial<AuditEntry>) =>
    ports.audit.append(
      { kind, phase: 'end', call_id, time: ports.now(), total_us: microsSince(started), ...outcome },
      task.server,
    );
  let forwarded: Forwarded;
  try {
    forwarded = await task.send(answers);
  } catch (thrown) {
    await end({ outcome: 'upstream_error' });
    throw thrown;
  }
  await end(resultRecord(forwarded.isRpcError ? 'upstream_error' : 'ok', forwarded));
  return forwarded.bytes;
}

function describeTask(ports: GatewayPorts, { client, request, server }: TaskRequest): AuditEntry {
  const { taskId } = request.params ?? {};
  const args = typeof taskId === 'string' ? { taskId } : {};
  const { decision } = judgeServer(ports.policyLayers(client.profile), server, undefined);
  const trace = traceIdOf(request);
  return {
    kind: 'call',
    phase: 'begin',
    call_id: ports.newCallId(),
    time: ports.now(),
    ...describeClient(client),
    server,
    tool: request.method,
    name: request.method,
    arguments: ports.redactor.of(server).value(args),
    ...digestIfAny(args),
    decision: decision.decision,
    rule: decidedRule(decision),
    ...(trace ? { trace_id: trace } : {}),
  };
}

function ruleOf(thrown: unknown): string {
  const data = thrown instanceof RpcFailure ? (thrown.data as { code?: string } | undefined) : undefined;
  return data?.code?.toLowerCase() ?? 'task_not_found';
}
