import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import type { JudgedTool, ToolApproval } from '../../store/registry/registry-store.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import { UP_LIMITS } from '../limits.ts';

/** Whether the policy of a profile has a person asked about a tool. */
export function asksPerson(layers: readonly PolicyLayer[], { server, tool }: JudgedTool): boolean {
  if (layers.length === 0) return false;
  return judge(layers, { server, tool }).decision.decision === 'approval';
}

/**
 * Has `tool_registry.approval_required` follow the policy of the default profile. A new policy is applied some tools at a time: to
 * judge twenty thousand takes a quarter of a second.
 */
export class ApprovalColumn {
  readonly #runtime: Pick<GatewayRuntime, 'registry' | 'policyLayers'>;
  #layers: readonly PolicyLayer[] | undefined;
  #waiting: ToolApproval[] = [];
  #next: NodeJS.Immediate | undefined;

  constructor(runtime: Pick<GatewayRuntime, 'registry' | 'policyLayers'>) {
    this.#runtime = runtime;
  }

  /** Judges all tools where policy is another one than before. */
  follow(): void {
    const layers = this.#runtime.policyLayers('default');
    const before = this.#layers;
    if (before?.length === layers.length && before.every((layer, index) => layer === layers[index])) return;
    this.#waiting = this.#runtime.registry.judgedTools();
    this.#layers = layers;
    this.#judgeSome();
  }

  end(): void {
    this.#waiting = [];
    if (this.#next) clearImmediate(this.#next);
  }

  #judgeSome(): void {
    const layers = this.#layers ?? [];
    const some = this.#waiting.splice(0, UP_LIMITS.judgeToolsAtOnce);
    const changed = some
      .map((item) => ({ ...item, approvalRequired: asksPerson(layers, item) }))
      .filter(({ approvalRequired }, index) => approvalRequired !== some[index]?.approvalRequired);
    try {
      if (changed.length > 0) this.#runtime.registry.setApproval(changed);
    } catch (thrown) {
      // Judged again at the next look.
      this.#layers = undefined;
      throw thrown;
    }
    if (this.#waiting.length > 0) this.#next = setImmediate(() => this.#judgeSome());
  }
}
