import type { JsonObject } from '../../contract/json.ts';
import type { Span } from '../../wire/json-scan.ts';
import { type Change, spliceSpans } from '../../wire/object-scan.ts';
import type { ClientRequest } from '../message/client.ts';

/** What is said to the server instead of what the client said. */
export interface Rewrite {
  /** `params.name` or `params.uri` on the server. */
  readonly name?: string;
  readonly uri?: string;
  /** Arguments as they were judged; absent: the client's bytes pass. */
  readonly judgedArguments?: unknown;
}

/**
 * The request as its server gets it: an envelope of our own, and of `params` only what the method defines. So every parser reads the
 * method, name and URI that were judged, whatever else the client wrote beside them. Bytes of arguments and `_meta` pass.
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
      text += `${separator}"${name}":`;
      separator = ',';
      const value = replacementOf(name, rewrite);
      if (value !== undefined) text += JSON.stringify(value);
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
    default:
      return undefined;
  }
}

/**
 * The `params` of a request for a server of the other revision: what the method defines, without `_meta`, which each revision fills
 * in another way, and without rounds of questions, which only one of them has.
 */
export function translatedParams({ params = {}, spans }: ClientRequest, rewrite: Rewrite): JsonObject {
  const known = [...(spans.params?.keys() ?? [])].filter((name) => !OF_ONE_REVISION.has(name));
  return Object.fromEntries(known.map((name) => [name, replacementOf(name, rewrite) ?? params[name]]));
}

const OF_ONE_REVISION = new Set(['_meta', 'inputResponses', 'requestState', 'task']);
