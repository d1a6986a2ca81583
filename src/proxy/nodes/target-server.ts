import { isObject, type JsonObject } from '../../contract/json.ts';
import { CALL_TOOL } from '../../gateway/search/tool-definitions.ts';
import type { Gateway } from '../call/gateway.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import type { Client, ClientRequest } from '../message/client.ts';

/** The server that a request goes to; undefined if there is none, or it is unknown. */
export function targetServer(gateway: Gateway, client: Client, { method, params }: ClientRequest): string | undefined {
  const view = gateway.views.viewFor(client);
  switch (method) {
    case 'tools/call': {
      const isInner = params?.name === CALL_TOOL.name && isObject(params.arguments);
      const name = isInner ? (params.arguments as JsonObject).name : params?.name;
      return typeof name === 'string' ? view.tool(name)?.server : undefined;
    }
    case 'prompts/get':
      return promptServer(view, params?.name);
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return typeof params?.uri === 'string' ? view.route(params.uri)?.server : undefined;
    case 'completion/complete': {
      const ref = isObject(params?.ref) ? params.ref : {};
      if (typeof ref.uri === 'string')
        return (view.catalogue().resources.template(ref.uri) ?? view.route(ref.uri))?.server;
      return promptServer(view, ref.name);
    }
    default:
      return undefined;
  }
}

function promptServer(view: ProfileView, name: unknown): string | undefined {
  return typeof name === 'string' ? view.catalogue().prompts.get(name)?.server : undefined;
}
