import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { heldCode, readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { CALL_TOOL } from '../../gateway/search/tool-definitions.ts';
import { ArgumentValidator } from '../../gateway/search/validate-arguments.ts';
import { nearestNames } from '../../gateway/search/words/nearest-names.ts';
import { asBuffer, OPEN_BRACE } from '../../wire/json-scan.ts';
import { scanMembers } from '../../wire/object-scan.ts';
import type { ClientCall, Target } from '../call/client-call.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { runCall } from '../call/pipeline.ts';
import type { ClientViews } from '../lists/client-views.ts';
import { undiscoveredText, untilListed } from '../lists/first-lists.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { seenView } from './find-tools.ts';

/** `call_tool`: calls a tool that `find_tools` found, which the client need not have listed. */
export class FoundToolCalls {
  readonly #ports: GatewayPorts;
  readonly #views: ClientViews;
  readonly #validator = new ArgumentValidator();

  constructor(ports: GatewayPorts, views: ClientViews) {
    this.#ports = ports;
    this.#views = views;
  }

  /** Checks the arguments by the tool's schema and runs the call as if the client had called the tool itself. */
  async call({ client, request, exchange }: ClientCall, args: JsonObject): Promise<Uint8Array> {
    const { name } = args;
    if (typeof name !== 'string') throw noName(name);
    const given = argumentsText(request);
    const { signal } = exchange;
    await untilListed(this.#ports, this.#views.viewFor(client), { method: 'tools/call', params: args }, signal);
    const view = await seenView(this.#ports, this.#views, client, { name, signal });
    const entry = view.publicTool(name);
    if (!entry) throw unknownTool(name, view.search().allNames(), undiscoveredText(this.#ports, view, name));
    const { server, tool, offered } = entry;
    const parsed = args.arguments ?? {};
    if (!isObject(parsed)) throw noObject(name, parsed);
    // Denied and quarantined tools are not explained: callers must not see their schemas.
    const isExplained = !this.#isDenied(client, entry) && heldCode(offered) === undefined;
    const { issues, unchecked } = isExplained
      ? this.#validator.check(offered.definition.inputSchema as JsonObject, parsed)
      : { issues: [] };
    if (issues.length > 0) throw this.#validator.refusal(name, issues);
    const target: Target = {
      kind: 'call',
      server,
      tool,
      name,
      rewrite: { name: tool },
      inputSchema: offered.definition.inputSchema,
      outputSchema: offered.definition.outputSchema,
      readOnly: readsOnly(offered),
      held: heldCode(offered),
      heldNow: () => view.heldTool(name),
      via: CALL_TOOL.name,
      unchecked,
    };
    const inner = innerRequest(request, name, args.arguments == null ? '{}' : given);
    return runCall(this.#ports, { client, request: inner, exchange }, target);
  }

  #isDenied({ profile }: Client, { server, tool, offered }: ToolEntry): boolean {
    const attempt = { server, tool, now: undefined, readOnly: readsOnly(offered) };
    const { decision } = judge(this.#ports.policyLayers(profile), attempt);
    return decision.decision === 'deny';
  }
}

/** The call that `call_tool` stands for: the same id, `_meta` and round of questions, another tool. */
function innerRequest(request: ClientRequest, name: string, args: string): ClientRequest {
  const { arguments: _outer, name: _own, ...rest } = request.params ?? {};
  const params = JSON.stringify({ ...rest, name }).slice(0, -1);
  const { id, method } = request;
  const head = JSON.stringify({ jsonrpc: '2.0', id, method }).slice(0, -1);
  return readClientMessage(Buffer.from(`${head},"params":${params},"arguments":${args}}}`)) as ClientRequest;
}

/** The inner arguments as the client wrote them, so that they are judged and sent like those of a direct call. */
function argumentsText({ bytes, spans }: ClientRequest): string {
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

function noName(given: unknown): BinderyError {
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

/** Models like to write the object as a text. */
function noObject(name: string, given: unknown): BinderyError {
  return new BinderyError('INVALID_ARGUMENTS', {
    detail: `/arguments: must be an object with the arguments for ${name}, but is ${kindOf(given)}.`,
    next: 'Correct the arguments and call again.',
  });
}

function unknownTool(name: string, names: Iterable<string>, why: string): BinderyError {
  const nearest = nearestNames(name, names);
  const hint = nearest.length > 0 ? ` The nearest names are ${nearest.join(', ')}.` : '';
  return new BinderyError('UNKNOWN_TOOL', {
    detail: `There is no tool ${JSON.stringify(name)}.${why}${hint}`,
    next: 'Search with find_tools and call the name that it gives.',
  });
}
