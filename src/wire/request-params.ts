import { isObject, type JsonObject } from '../contract/json.ts';
import { META } from './revisions.ts';

const ROUNDS = ['inputResponses', 'requestState'];

/** The members of `params` that both revisions define, by method. No other members are forwarded. */
const PARAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['initialize', ['protocolVersion', 'capabilities', 'clientInfo', '_meta']],
  ['tools/call', ['name', 'arguments', '_meta', 'task', ...ROUNDS]],
  ['prompts/get', ['name', 'arguments', '_meta', ...ROUNDS]],
  ['resources/read', ['uri', '_meta', ...ROUNDS]],
  ['resources/subscribe', ['uri', '_meta']],
  ['resources/unsubscribe', ['uri', '_meta']],
  ['completion/complete', ['ref', 'argument', 'context', '_meta']],
  ['logging/setLevel', ['level', '_meta']],
  ['subscriptions/listen', ['notifications', '_meta']],
  ['tools/list', ['cursor', '_meta']],
  ['prompts/list', ['cursor', '_meta']],
  ['resources/list', ['cursor', '_meta']],
  ['resources/templates/list', ['cursor', '_meta']],
  ['tasks/list', ['cursor', '_meta']],
  ['tasks/get', ['taskId', '_meta']],
  ['tasks/result', ['taskId', '_meta']],
  ['tasks/cancel', ['taskId', '_meta']],
  ['tasks/update', ['taskId', '_meta', 'inputResponses']],
  ['notifications/cancelled', ['requestId', 'reason', '_meta']],
]);

const OTHER_PARAMS = ['_meta'];

export function paramNames(method: string): readonly string[] {
  return PARAMS.get(method) ?? OTHER_PARAMS;
}

/** Members of a request's `_meta` that the gateway reads or replaces. */
export const REQUEST_META = [
  'progressToken',
  META.protocolVersion,
  META.clientCapabilities,
  META.clientInfo,
  META.logLevel,
  'traceparent',
  'tracestate',
];

/** The span that a call belongs to. */
const TRACE = ['traceparent', 'tracestate', 'baggage'];

/** The members of a request's `_meta` that protocol and trace context define: they change no call. */
const DEFINED_META: ReadonlySet<string> = new Set([
  ...REQUEST_META,
  ...TRACE,
  'io.modelcontextprotocol/related-task',
  'io.modelcontextprotocol/subscriptionId',
]);

/** The other members, which mean whatever a server takes them for; undefined if there are none, as nearly always. */
export function furtherMeta(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  let further: Record<string, unknown> | undefined;
  for (const name in meta) {
    if (DEFINED_META.has(name)) continue;
    further ??= Object.create(null) as Record<string, unknown>;
    further[name] = meta[name];
  }
  return further;
}

/** `_meta` without those. A trace context that is no text is left out as well. */
export function definedMeta(meta: unknown): JsonObject {
  if (!isObject(meta)) return {};
  const isDefined = ([name, value]: [string, unknown]) =>
    DEFINED_META.has(name) && (!TRACE.includes(name) || typeof value === 'string');
  return Object.fromEntries(Object.entries(meta).filter(isDefined));
}

/** Members of the `ref` of a completion. */
export const COMPLETION_REF = ['type', 'name', 'uri'];
