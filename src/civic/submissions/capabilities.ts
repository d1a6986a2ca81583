import { BinderyError } from '../../contract/errors.ts';
import { type Capability, REQUIRED_CAPABILITIES } from '../config.ts';
import type { Item } from './item-types.ts';

/** Refuses an item whose agent did not declare the capabilities its type needs [SU11]; lists the missing ones in the spec's order. */
export function requireCapabilities(item: Item, declared: readonly Capability[]): void {
  const tier = item.type === 'validation' && item.target_type === 'concern' ? 'validation_of_concern' : item.type;
  const missing = REQUIRED_CAPABILITIES[tier].filter((capability) => !declared.includes(capability));
  if (missing.length > 0) {
    throw new BinderyError('capability_insufficient', {
      detail: `this ${item.type} needs ${missing.join(', ')}`,
      members: { required_capability: missing },
    });
  }
}
