import { isObject, type JsonObject } from '../../contract/json.ts';
import { type Change, type Span, spliceSpans } from '../../wire/json-scan.ts';
import { encodeRequest } from '../../wire/messages.ts';
import { paramHeaders, scanHeaderDeclarations } from '../../wire/param-headers.ts';
import { plainMeta } from '../../wire/revisions.ts';
import type { ClientRequest } from '../message/client.ts';
import type { Round } from '../sessions/asked-rounds.ts';
import { progressTokenOf } from './progress.ts';

/** Values that replace the client's own in the request to the server. */
export interface Rewrite {
  /** `params.name` or `params.uri` on the server. */
  readonly name?: string;
  readonly uri?: string;
  /** The arguments that policy judged; absent: forward the client's bytes. */
  readonly judgedArguments?: unknown;
  /** `_meta` for a call whose arguments policy judged: only members that the protocol defines; absent: forward the client's bytes. */
  readonly judgedMeta?: JsonObject;
  /** The answers and the state of a round of questions. A client's own are never forwarded. */
  readonly round?: Round | undefined;
}

/**
 * The request as sent to its server: a new envelope, and only the `params` that the method defines. So every parser reads the judged
 * method, name and URI, whatever else the client wrote. The bytes of arguments and `_meta` are forwarded as they are, unless a rule judged
 * the arguments.
 */
export function outgoingRequest(request: ClientRequest, id: number, rewrite: Rewrite): Uint8Array {
  const { bytes, method, spans } = request;
  const changes: Change[] = [];
  let text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
  let from = 0;
  const pass = ({ start, end }: Span) => {
    changes.push({ span: { start: from, end: start }, value: text });
    text = '';
    from = end;
  };
  if (spans.params) {
    let separator = ',"params":{';
    for (const [name, span] of spans.params) {
      if (ROUND.has(name) && replacementOf(name, rewrite) === undefined) continue;
      text += `${separator}"${name}":`;
      separator = ',';
      const value = replacementOf(name, rewrite);
      if (value !== undefined) text += JSON.stringify(value);
      else if (name === '_meta' && rewrite.judgedMeta)
        text += JSON.stringify({ ...rewrite.judgedMeta, ...(spans.progressToken ? { progressToken: id } : {}) });
      else if (name === '_meta' && spans.progressToken) {
        pass({ start: span.start, end: spans.progressToken.start });
        text = String(id);
        pass({ start: spans.progressToken.end, end: span.end });
      } else pass(span);
    }
    text += separator === ',' ? '}' : ',"params":{}';
  }
  changes.push({ span: { start: from, end: bytes.length }, value: `${text}}` });
  return spliceSpans(bytes, changes);
}

function replacementOf(name: string, rewrite: Rewrite): unknown {
  switch (name) {
    case 'name':
      return rewrite.name;
    case 'uri':
      return rewrite.uri;
    case 'arguments':
      return rewrite.judgedArguments;
    case 'inputResponses':
      return rewrite.round?.inputResponses;
    case 'requestState':
      return rewrite.round?.requestState;
    default:
      return undefined;
  }
}

/**
 * The request for a server of the other revision: only the `params` that the method defines, without members that one revision lacks,
 * and with `_meta` without the envelope of the client's revision.
 */
export function translatedRequest(
  { request, rewrite }: { readonly request: ClientRequest; readonly rewrite: Rewrite },
  id: number,
  further: JsonObject = {},
  envelope: JsonObject = {},
): Uint8Array {
  const { method, params = {}, spans } = request;
  const names = [...(spans.params?.keys() ?? [])].filter((name) => !OF_ONE_REVISION.has(name));
  const known = Object.fromEntries(names.map((name) => [name, replacementOf(name, rewrite) ?? params[name]]));
  const token = progressTokenOf(request) === undefined ? {} : { progressToken: id };
  const meta = { ...plainMeta(rewrite.judgedMeta ?? params._meta), ...token, ...envelope };
  const _meta = Object.keys(meta).length > 0 ? { _meta: meta } : {};
  return encodeRequest(id, { method, params: { ...known, ...further, ..._meta } });
}

/** The members of a round of questions, which revision 2025-11-25 lacks. */
const ROUND = new Set(['inputResponses', 'requestState']);
const OF_ONE_REVISION = new Set(['_meta', ...ROUND, 'task']);

/** Headers that a tool's schema declares are built from the arguments, never copied from the client's request. */
export function mirroredArguments({ params }: ClientRequest, inputSchema: unknown): Record<string, string> {
  const scan = headerDeclarations(inputSchema);
  return scan.valid ? paramHeaders(scan.declarations, isObject(params?.arguments) ? params.arguments : undefined) : {};
}

const scanned = new WeakMap<object, ReturnType<typeof scanHeaderDeclarations>>();

/** The header declarations of a schema, cached per schema object. */
function headerDeclarations(inputSchema: unknown): ReturnType<typeof scanHeaderDeclarations> {
  if (!isObject(inputSchema)) return scanHeaderDeclarations(inputSchema);
  const known = scanned.get(inputSchema);
  if (known) return known;
  const scan = scanHeaderDeclarations(inputSchema);
  scanned.set(inputSchema, scan);
  return scan;
}
