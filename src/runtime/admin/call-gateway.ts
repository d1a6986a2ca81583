import { BinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { CALL_TOOL } from '../../gateway/search/tool-definitions.ts';
import { META, MODERN_VERSIONS } from '../../wire/revisions.ts';
import { VERSION } from '../version.ts';
import { askGateway, gatewayEnded } from './ask-gateway.ts';

/** Calls a tool as an MCP client of a running gateway. Returns the tool's own result, or throws why there is none. */
export async function callGateway(
  gateway: { readonly url: string; readonly token: string; readonly client?: string },
  call: { readonly name: string; readonly arguments: JsonObject; readonly profile: string },
  signal: AbortSignal,
): Promise<JsonObject> {
  const version = MODERN_VERSIONS[0];
  const response = await askGateway(`${gateway.url}/mcp/${encodeURIComponent(call.profile)}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${gateway.token}`,
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': CALL_TOOL.name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: CALL_TOOL.name,
        arguments: { name: call.name, arguments: call.arguments },
        _meta: {
          [META.protocolVersion]: version,
          [META.clientCapabilities]: {},
          [META.clientInfo]: { name: gateway.client ?? 'bindery', version: VERSION },
        },
      },
    }),
    signal,
  });
  const answer = messagesOf(response.text).find((message) => message.id === 1 || message.error !== undefined);
  if (answer?.result) return answer.result;
  if (response.status === 404) throw new BinderyError('PROFILE_NOT_FOUND', { detail: call.profile });
  if (response.isOk && answer?.error && !isOurs(answer.error)) throw serverError(answer.error);
  // The stream ended without the answer.
  if (response.isOk && !answer) throw gatewayEnded();
  throw new BinderyError('GATEWAY_REFUSED', { detail: answer?.error?.message ?? `it answered ${response.status}` });
}

/** Codes of JSON-RPC errors that the gateway itself sends before a call; its other refusals are results. */
const OWN_CODES = ['UNKNOWN_TOOL', 'INVALID_ARGUMENTS'];

function isOurs({ data }: RpcError): boolean {
  return OWN_CODES.includes(String((data as { code?: unknown } | null | undefined)?.code));
}

/** The server itself answered with an error. */
function serverError({ code, message = 'it gave no message' }: RpcError): BinderyError {
  return new BinderyError('UPSTREAM_ERROR', {
    detail: `the server answered with an error: ${message} (JSON-RPC ${String(code)})`,
    next: 'The message is the one of the server. Correct the arguments if it names them; otherwise look at `bindery mcp status`.',
  });
}

interface RpcError {
  readonly code?: unknown;
  readonly message?: string;
  readonly data?: unknown;
}

interface RpcMessage {
  readonly id?: unknown;
  readonly result?: JsonObject;
  readonly error?: RpcError;
}

/** The messages of a body: one JSON message or an event stream. */
function messagesOf(text: string): RpcMessage[] {
  const texts = text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
  return texts.flatMap((one) => {
    try {
      return [JSON.parse(one) as RpcMessage];
    } catch {
      return [];
    }
  });
}
