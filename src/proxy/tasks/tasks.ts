import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { META } from '../../wire/revisions.ts';
import { refuseDeniedServer } from '../call/authorize.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { methodNotFound } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { requestWith } from '../message/client-message.ts';
import { answersOf, sendTask } from './send-task.ts';
import { recordedTask } from './task-record.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';

/**
 * The server whose tasks a client can use. Task ids do not name their server, so only a profile with one server has tasks, and only if
 * client and server use the same revision.
 */
export function taskServer(view: ProfileView, { era }: Client): ServerOffer | undefined {
  const [offer, another] = view.catalogue().offers;
  // Without a usable tool there can be no task.
  if (!offer?.tools.some(({ status }) => status === 'active')) return undefined;
  return !another && offer.era === era && declaredTasks(offer.capabilities) ? offer : undefined;
}

/** A server's declared task capabilities, in either revision. */
export function declaredTasks(capabilities: JsonObject): JsonObject | undefined {
  const { tasks, extensions } = capabilities;
  if (isObject(tasks)) return { tasks };
  return isObject(extensions) && extensions[EXTENSION] !== undefined
    ? { extensions: { [EXTENSION]: extensions[EXTENSION] } }
    : undefined;
}

/** Capabilities without tasks, for clients that cannot use them. */
export function withoutTasks({ tasks: _none, extensions, ...rest }: JsonObject): JsonObject {
  if (!isObject(extensions)) return rest;
  const { [EXTENSION]: _neither, ...others } = extensions;
  return { ...rest, extensions: others };
}

/** Whether the answer to a call could be a task. */
export function asksForTask({ capabilities }: Client, { params }: ClientRequest): boolean {
  if (params?.task !== undefined) return true;
  return isObject(capabilities.extensions) && capabilities.extensions[EXTENSION] !== undefined;
}

/** Begins a task only if the client could ask for it later. */
export function withServedTask(view: ProfileView, client: Client, request: ClientRequest): ClientRequest {
  return asksForTask(client, request) && !taskServer(view, client) ? plainCall(request) : request;
}

/** The same call without a task: its answer is the result. */
function plainCall(request: ClientRequest): ClientRequest {
  const { task: _none, _meta: meta, ...rest } = request.params ?? {};
  const declared = isObject(meta) ? meta[META.clientCapabilities] : undefined;
  const plainMeta =
    isObject(declared) && isObject(meta) ? { ...meta, [META.clientCapabilities]: withoutTasks(declared) } : meta;
  return requestWith(request, request.method, { ...rest, ...(plainMeta === undefined ? {} : { _meta: plainMeta }) });
}

/** Forwards `tasks/*` to the server that has the task. */
export async function forwardTask(
  ports: GatewayPorts,
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
): Promise<Uint8Array> {
  const server = taskServer(view, client)?.server;
  if (server === undefined) throw methodNotFound(request.method);
  const check = () => {
    ports.tasks.check(server, client, request);
    refuseDeniedServer(ports, client, server);
    return answersOf(ports.rounds, { client, request }, server);
  };
  const asker = view.isBare ? undefined : server;
  const send = (answers: JsonObject | undefined) =>
    sendTask(ports, { client, request, exchange }, { server, asker, answers });
  return recordedTask(ports, { client, request, server, check, send });
}
