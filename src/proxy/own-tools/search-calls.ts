import type { CancelSignal } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { heldCode, readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { foundToolsText } from '../../gateway/search/find-tools.ts';
import { CALL_TOOL, FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import { ArgumentValidator } from '../../gateway/search/validate-arguments.ts';
import { nearestNames } from '../../gateway/search/words/nearest-names.ts';
import { asBuffer, OPEN_BRACE } from '../../wire/json-scan.ts';
import { scanMembers } from '../../wire/object-scan.ts';
import { describeClient, digestIfAny, traceIdOf } from '../call/call-record.ts';
import type { Target } from '../call/client-call.ts';
import { failedCallResult } from '../call/failure-answer.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { runCall } from '../call/pipeline.ts';
import { type RefusedRequest, refuseRequest } from '../call/refuse-request.ts';
import type { ClientViews } from '../lists/client-views.ts';
import { undiscoveredText, unlooked, untilListed, untilLooked } from '../lists/first-lists.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { resultBytes } from '../message/answer-bytes.ts';
import type { Client, Exchange } from '../message/client.ts';
import { type ClientRequest, readClientMessage } from '../message/client-message.ts';
import type { FoundToolsMemory } from './found-tools.ts';
import { waitingServers } from './sign-in-calls.ts';

/** The two tools of the gateway's own: a search over all tools, and a way to call what it found. */
export class SearchCalls {
  readonly #ports: GatewayPorts;
  readonly #memory: FoundToolsMemory;
  readonly #views: Pick<ClientViews, 'viewFor'>;
  readonly #validator = new ArgumentValidator();

  constructor(ports: GatewayPorts, memory: FoundToolsMemory, views: Pick<ClientViews, 'viewFor'>) {
    this.#ports = ports;
    this.#memory = memory;
    this.#views = views;
  }

  isOwn(view: ProfileView, name: unknown): boolean {
    return !view.isBare && (name === FIND_TOOLS.name || name === CALL_TOOL.name);
  }

  async handle(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const args = isObject(request.params?.arguments) ? request.params.arguments : {};
    try {
      if (request.params?.name === FIND_TOOLS.name) return await this.#find(client, request, exchange, args);
      return await this.#call(client, request, exchange, args);
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      const refused = refusedBy(this.#views.viewFor(client), args, request, thrown);
      return refuseRequest(this.#ports, client, request, refused, (call_id) =>
        resultBytes(request, failedCallResult(thrown, client, { ...refused.target, call_id })),
      );
    }
  }

  async #find(client: Client, request: ClientRequest, { signal }: Exchange, args: JsonObject): Promise<Uint8Array> {
    const started = process.hrtime.bigint();
    if (this.#ports.undiscovered().length > 0) await this.#ports.untilDiscovered();
    const view = await this.#seen(client, { signal });
    const { signIns } = this.#ports;
    const waiting = signIns ? waitingServers(signIns, view, client).map((server) => `${server}: AUTH_REQUIRED`) : [];
    const unknown = new Set([...this.#ports.undiscovered(), ...unlooked(this.#ports, view, client)]);
    const found = await view.search().find(args, [...waiting, ...unknown]);
    const text = foundToolsText(found);
    const callId = this.#ports.newCallId();
    const trace = traceIdOf(request);
    this.#ports.noteTrace?.(callId, request.params?._meta);
    await this.#ports.audit.append({
      kind: 'search',
      phase: 'single',
      call_id: callId,
      time: this.#ports.now(),
      ...describeClient(client),
      tool: FIND_TOOLS.name,
      name: FIND_TOOLS.name,
      arguments: this.#ports.redactor.value(args),
      ...digestIfAny(args),
      ...(trace ? { trace_id: trace } : {}),
      outcome: 'ok',
      result_bytes: Buffer.byteLength(text),
      result_sha256: sha256Hex(text),
      total_us: Number((process.hrtime.bigint() - started) / 1_000n),
    });
    if (
      this.#memory.add(
        client,
        found.tools.map(({ name }) => name),
      )
    )
      this.#ports.listsChanged();
    const result = {
      ...(client.era === '2026' ? { resultType: 'complete' } : {}),
      content: [{ type: 'text', text }],
      structuredContent: found,
    };
    return resultBytes(request, JSON.stringify(result));
  }

  /** What the client sees once its own lists are there, and the tools that only clients like it see. */
  async #seen(client: Client, wanted: { readonly name?: string; readonly signal: CancelSignal }): Promise<ProfileView> {
    await this.#ports.ownLists.settled(client.key);
    await untilLooked(this.#ports, this.#views.viewFor(client), client, wanted);
    return this.#views.viewFor(client);
  }

  async #call(client: Client, request: ClientRequest, exchange: Exchange, args: JsonObject): Promise<Uint8Array> {
    const { name } = args;
    if (typeof name !== 'string') throw noName(name);
    const given = argumentsText(request);
    const { signal } = exchange;
    await untilListed(this.#ports, this.#views.viewFor(client), { method: 'tools/call', params: args }, signal);
    const view = await this.#seen(client, { name, signal });
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

/** What a refused use of the two tools was about. */
function refusedBy(
  view: ProfileView,
  args: JsonObject,
  request: ClientRequest,
  { code }: BinderyError,
): RefusedRequest {
  const rule = code.toLowerCase();
  if (request.params?.name === FIND_TOOLS.name)
    return { kind: 'search', rule, name: FIND_TOOLS.name, target: { tool: FIND_TOOLS.name }, arguments: args };
  const name = typeof args.name === 'string' ? args.name : '';
  const entry = view.publicTool(name);
  return {
    kind: 'call',
    rule,
    name,
    via: CALL_TOOL.name,
    arguments: args.arguments ?? {},
    ...(entry ? { target: { server: entry.server, tool: entry.tool } } : {}),
  };
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
      detail: 'name or arguments stands there twice or in another case.',
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
