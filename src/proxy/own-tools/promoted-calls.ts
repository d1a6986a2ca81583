import { isObject, type JsonObject } from '../../contract/json.ts';
import { GET_PROMPT, READ_RESOURCE } from '../../gateway/catalogue/promoted-tools.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { RpcFailure, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { requestWith } from '../message/client-message.ts';

/** Whether the tool reads resources or prompts. */
export function isPromoted(view: ProfileView, name: unknown): boolean {
  return view.settings.promotesResources === true && (name === READ_RESOURCE.name || name === GET_PROMPT.name);
}

/**
 * Answers a call of a promoted tool with its inner request, which is judged, recorded and sent like any other. `answer` serves that
 * request.
 */
export async function callPromoted(
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  answer: (inner: ClientRequest) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const args = isObject(request.params?.arguments) ? request.params.arguments : {};
  const reads = request.params?.name === READ_RESOURCE.name;
  if ((reads ? args.uri : args.name) === undefined) return listed(view, client, request, reads);
  const inner = innerRequest(request, reads ? 'resources/read' : 'prompts/get', args);
  const { result, error } = await answer(inner).then(decoded, told);
  // Return the error as a result, so that a model can read it and react.
  if (error) return toolResult(client, request, [{ type: 'text', text: error.message }], true);
  // Forward a question of the server unchanged: the retry comes back here.
  if (result?.resultType === 'input_required') return resultBytes(request, JSON.stringify(result));
  return toolResult(client, request, reads ? resourceContent(result) : promptContent(result));
}

interface Answer {
  readonly result?: JsonObject;
  readonly error?: { readonly message: string };
}

function decoded(bytes: Uint8Array): Answer {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as Answer;
}

function told(thrown: unknown): Answer {
  if (thrown instanceof RpcFailure) return { error: thrown };
  throw thrown;
}

function listed(view: ProfileView, client: Client, request: ClientRequest, reads: boolean): Uint8Array {
  const { resources, resourceTemplates, prompts } = view.lists();
  const text = reads ? `{"resources":${resources},"templates":${resourceTemplates}}` : `{"prompts":${prompts}}`;
  return toolResult(client, request, [{ type: 'text', text }]);
}

/** A request with the same id, `_meta` and round of questions, but another method. */
function innerRequest(request: ClientRequest, method: string, args: JsonObject): ClientRequest {
  const { arguments: _outer, name: _own, ...rest } = request.params ?? {};
  const params =
    method === 'resources/read'
      ? { ...rest, uri: args.uri }
      : { ...rest, name: args.name, ...(isObject(args.arguments) ? { arguments: args.arguments } : {}) };
  return requestWith(request, method, params);
}

function resourceContent(result: JsonObject | undefined): JsonObject[] {
  const contents = Array.isArray(result?.contents) ? result.contents : [];
  return contents.map((resource) => ({ type: 'resource', resource }));
}

function promptContent(result: JsonObject | undefined): JsonObject[] {
  const messages = Array.isArray(result?.messages) ? result.messages.filter(isObject) : [];
  return messages.map(({ role, content }) =>
    isObject(content) && content.type === 'text' && typeof content.text === 'string' && typeof role === 'string'
      ? { ...content, text: `${role}: ${content.text}` }
      : content,
  ) as JsonObject[];
}

function toolResult({ era }: Client, request: ClientRequest, content: JsonObject[], isError = false): Uint8Array {
  const kind = era === '2026' ? { resultType: 'complete' } : {};
  return resultBytes(request, JSON.stringify({ ...kind, content, ...(isError ? { isError } : {}) }));
}
