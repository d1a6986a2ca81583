import { BinderyError } from '../../contract/errors.ts';
import type { NearestNames } from '../../gateway/search/words/nearest-names.ts';
import { asBuffer, OPEN_BRACE, scanMembers } from '../../wire/json-scan.ts';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';

/** The call inside a `call_tool` request: the same id, `_meta` and round of questions, but another tool. */
export function innerRequest(request: ClientRequest, name: string, args: string): ClientRequest {
  const { arguments: _outer, name: _own, ...rest } = request.params ?? {};
  const params = JSON.stringify({ ...rest, name }).slice(0, -1);
  const { id, method } = request;
  const head = JSON.stringify({ jsonrpc: '2.0', id, method }).slice(0, -1);
  return readClientMessage(Buffer.from(`${head},"params":${params},"arguments":${args}}}`)) as ClientRequest;
}

/** The inner arguments as the client wrote them, so that they are judged and sent like those of a direct call. */
export function argumentsText({ bytes, spans }: ClientRequest): string {
  const outer = spans.params?.get('arguments');
  if (!outer || bytes[outer.start] !== OPEN_BRACE) return '{}';
  const inner = scanMembers(bytes, outer, ['name', 'arguments']);
  if (!inner)
    throw new BinderyError('INVALID_ARGUMENTS', {
      detail: 'name or arguments is a duplicate, or differs from another member only in case.',
      next: 'Pass name and arguments once each.',
    });
  const span = inner.get('arguments');
  return span ? asBuffer(bytes).toString('utf8', span.start, span.end) : '{}';
}

export function noName(given: unknown): BinderyError {
  return new BinderyError('INVALID_ARGUMENTS', {
    detail: `/name: must be the name of a tool, but ${given === undefined ? 'is missing' : `is ${kindOf(given)}`}.`,
    next: 'Search with find_tools and call the name that it gives.',
  });
}

function kindOf(given: unknown): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'an array';
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`;
}

/** The error for arguments that are no object. Some models write the object as text. */
export function noObject(name: string, given: unknown): BinderyError {
  return new BinderyError('INVALID_ARGUMENTS', {
    detail: `/arguments: must be an object with the arguments for ${name}, but is ${kindOf(given)}.`,
    next: 'Correct the arguments and call again.',
  });
}

export function unknownTool(name: string, names: NearestNames): BinderyError {
  const nearest = names.find(name);
  const hint = nearest.length > 0 ? ` The nearest names are ${nearest.join(', ')}.` : '';
  return new BinderyError('UNKNOWN_TOOL', {
    detail: `There is no tool ${JSON.stringify(name)}.${hint}`,
    next: 'Search with find_tools and call the name that it gives.',
  });
}
