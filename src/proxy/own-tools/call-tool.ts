import { isObject, type JsonObject } from '../../contract/json.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { CALL_TOOL } from '../../gateway/search/tool-definitions.ts';
import { ArgumentValidator } from '../../gateway/search/validate-arguments.ts';
import type { ClientCall, Target } from '../call/client-call.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { runCall } from '../call/pipeline.ts';
import { entryTarget } from '../call/targets.ts';
import { awayServer } from '../call/unknown-tool.ts';
import type { ClientViews } from '../lists/client-views.ts';
import { seenView, untilListed } from '../lists/list-answers.ts';
import { argumentsText, innerRequest, noName, noObject, unknownTool } from './inner-call.ts';

/** `call_tool`: calls a tool that `find_tools` found, even if the client has not listed it. */
export class FoundToolCalls {
  readonly #ports: GatewayPorts;
  readonly #views: ClientViews;
  readonly #validator = new ArgumentValidator();

  constructor(ports: GatewayPorts, views: ClientViews) {
    this.#ports = ports;
    this.#views = views;
  }

  /** Validates the arguments against the tool's schema and runs the call as if the client had called the tool itself. */
  async call({ client, request, exchange }: ClientCall, args: JsonObject): Promise<Uint8Array> {
    const { name } = args;
    if (typeof name !== 'string') throw noName(name);
    const given = argumentsText(request);
    const { signal } = exchange;
    await untilListed(this.#ports, this.#views.viewFor(client), { method: 'tools/call', params: args }, signal);
    const view = await seenView(this.#ports, this.#views, client, { name, signal });
    const entry = view.publicTool(name);
    if (!entry)
      throw awayServer({ ports: this.#ports, view }, name)?.error ?? unknownTool(name, view.search().nearestNames());
    const parsed = args.arguments ?? {};
    if (!isObject(parsed)) throw noObject(name, parsed);
    const target = entryTarget(view, name, entry);
    // Do not explain denied and quarantined tools: callers must not see their schemas.
    const isExplained = !this.#isDenied(client.profile, target) && target.held === undefined;
    const { issues, unchecked } = isExplained
      ? this.#validator.check(target.inputSchema as JsonObject, parsed)
      : { issues: [] };
    if (issues.length > 0) throw this.#validator.refusal(name, issues);
    const inner = innerRequest(request, name, args.arguments == null ? '{}' : given);
    const call = { client, request: inner, exchange };
    return runCall(this.#ports, call, { ...target, via: CALL_TOOL.name, unchecked });
  }

  #isDenied(profile: string, { server, tool, readOnly }: Target): boolean {
    const attempt = { server, tool, now: undefined, ...(readOnly === undefined ? {} : { readOnly }) };
    return judge(this.#ports.policyLayers(profile), attempt).decision.decision === 'deny';
  }
}
