import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { RegistryStore, ToolApproval } from '../../store/registry/registry-store.ts';
import { UP_LIMITS } from '../limits.ts';
import { asksPerson } from '../policy/policy-in-force.ts';

/**
 * Has `tool_registry.approval_required` follow the policy of the default profile. A new policy is applied some tools at a time: to
 * judge twenty thousand takes a quarter of a second.
 */
export class ApprovalColumn {
  readonly #registry: RegistryStore;
  readonly #policy: { layers(profile: string): readonly PolicyLayer[] };
  #layers: readonly PolicyLayer[] | undefined;
  #waiting: ToolApproval[] = [];
  #next: NodeJS.Immediate | undefined;

  constructor(registry: RegistryStore, policy: { layers(profile: string): readonly PolicyLayer[] }) {
    this.#registry = registry;
    this.#policy = policy;
  }

  /** Judges all tools where policy is another one than before. */
  follow(): void {
    const layers = this.#policy.layers('default');
    const before = this.#layers;
    if (before?.length === layers.length && before.every((layer, index) => layer === layers[index])) return;
    this.#waiting = this.#registry.judgedTools();
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
      if (changed.length > 0) this.#registry.setApproval(changed);
    } catch (thrown) {
      // Judged again at the next refresh.
      this.#layers = undefined;
      throw thrown;
    }
    if (this.#waiting.length > 0) this.#next = setImmediate(() => this.#judgeSome());
  }
}
