import type { JsonObject } from '../../contract/json.ts';
import { refuseAmbiguous } from '../call/authorize.ts';
import { canonical } from '../call/call-record.ts';
import type { ClientCall } from '../call/client-call.ts';
import { forwardRaw } from '../call/forward-raw.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { asRpcFailure } from '../call/upstream-error.ts';
import { resultBytes } from '../message/answers.ts';
import type { ClientRequest } from '../message/client.ts';
import type { AskedRounds } from '../sessions/asked-rounds.ts';

/** The answers that a request carries to the questions of its task, under the keys of the server. */
export function answersOf(
  rounds: AskedRounds,
  { client, request }: Pick<ClientCall, 'client' | 'request'>,
  server: string,
): JsonObject | undefined {
  const { taskId, inputResponses } = request.params ?? {};
  if (request.method !== 'tasks/update' || inputResponses === undefined) return undefined;
  refuseAmbiguous(request, 'inputResponses');
  return canonical(rounds.readAnswers({ client, server, taskId: String(taskId) }, inputResponses), 'answers');
}

interface SentTask {
  readonly server: string;
  /** The server's name for its questions; undefined in a bare profile. */
  readonly asker: string | undefined;
  /** Under the keys of the server. */
  readonly answers: JsonObject | undefined;
}

/** Sends a request about a task to its server. */
export async function sendTask(
  ports: GatewayPorts,
  { client, request, exchange }: ClientCall,
  { server, asker, answers }: SentTask,
) {
  try {
    const upstream = await ports.connections.connection(server, client, exchange.signal);
    const own = ports.connections.open(client).some((connection) => connection.upstream === upstream);
    const target = { server, tool: request.method };
    const options = {
      answerBytesMax: ports.answerBytesMax,
      logLevels: ports.logLevels,
      asker,
      signKey: (key: string) => ports.rounds.signKey({ client, server, taskId: String(request.params?.taskId) }, key),
      held: { calls: ports.held, target },
    };
    const rewrite = mirrored(request, answers);
    const answer = await forwardRaw({ client, request, exchange, rewrite, options }, upstream);
    if (request.method !== 'tasks/list' || own) return answer;
    // On a shared connection the server lists the tasks of all callers.
    const list = ports.tasks.ownList(server, client, answer.bytes);
    return list ? { ...answer, bytes: resultBytes(request, JSON.stringify(list)) } : answer;
  } catch (thrown) {
    throw asRpcFailure(thrown, server);
  }
}

/** The header of revision 2026-07-28 that names the task, and the answers for the task. */
function mirrored({ params }: ClientRequest, answers: JsonObject | undefined) {
  const name = typeof params?.taskId === 'string' ? { name: params.taskId } : {};
  return { ...name, ...(answers ? { round: { inputResponses: answers } } : {}) };
}
