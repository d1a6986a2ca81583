import type { JsonObject } from '../contract/json.ts';
import { encodeHeaderValue } from './param-headers.ts';

/** The member of `params` that the header `Mcp-Name` mirrors, by method. */
const NAME_MEMBER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The value for `Mcp-Name` of a request, if its method has one. */
export function mirroredName(method: string, params: JsonObject | undefined): string | undefined {
  const member = NAME_MEMBER[method];
  const value = member === undefined ? undefined : params?.[member];
  return typeof value === 'string' ? value : undefined;
}

/** The headers that revision 2026-07-28 asks of each POST, besides `MCP-Protocol-Version`. */
export function modernHeaders(method: string, name: string | undefined): Record<string, string> {
  return name === undefined ? { 'mcp-method': method } : { 'mcp-method': method, 'mcp-name': encodeHeaderValue(name) };
}
