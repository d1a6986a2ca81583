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

const TRACE_CHARS_MAX = 512;
/** One or several `key=value`, as W3C Trace Context and Baggage write them: no blanks, quotes or JSON. */
const TRACE_LIST = /^[\w*/@.-]+=[\w*/@.:%+~-]*(?:[,;][\w*/@.-]+(?:=[\w*/@.:%+~-]*)?)*$/;
const isTraceList = (value: unknown) =>
  typeof value === 'string' && value.length <= TRACE_CHARS_MAX && TRACE_LIST.test(value);

/** Which values a member may have where a person or a rule judges the call: others could carry words to the server. */
const JUDGED_META: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ['progressToken', (value) => typeof value === 'string' || typeof value === 'number'],
  ['traceparent', (value) => typeof value === 'string' && /^[\da-f]{2}(?:-[\da-f]{2,32}){3}$/.test(value)],
  ['tracestate', isTraceList],
  ['baggage', isTraceList],
  ['io.modelcontextprotocol/related-task', (value) => isObject(value) && Object.keys(value).join() === 'taskId'],
]);

/** `_meta` without those, and without values that have no form of their own. */
export function definedMeta(meta: unknown): JsonObject {
  if (!isObject(meta)) return {};
  const isDefined = ([name, value]: [string, unknown]) =>
    DEFINED_META.has(name) && (JUDGED_META.get(name)?.(value) ?? true);
  return Object.fromEntries(Object.entries(meta).filter(isDefined));
}

/** Members of the `ref` of a completion. */
export const COMPLETION_REF = ['type', 'name', 'uri'];
