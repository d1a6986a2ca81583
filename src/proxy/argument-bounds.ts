import { BinderyError } from '../contract/errors.ts';
import { PROXY_LIMITS } from './limits.ts';

/**
 * The error of arguments that have more members, items or levels than a call may: each is masked, digested, judged and
 * recorded, and a few megabytes of braces would keep every other caller waiting. One pass, which ends at the bound.
 */
export function oversizedArguments(args: unknown): BinderyError | undefined {
  const counts = { members: 0, items: 0 };
  const bound = exceeded(args, 0, counts);
  if (bound === undefined) return undefined;
  const { limit, max } = BOUNDS[bound];
  const detail =
    bound === 'depth'
      ? `The arguments are nested deeper than ${max} levels`
      : `The arguments have more than ${max} ${bound}`;
  return new BinderyError('ARGUMENTS_TOO_LARGE', { detail: `${detail} (${limit}).`, members: { limit, max } });
}

type Bound = 'members' | 'items' | 'depth';

const BOUNDS: Readonly<Record<Bound, { readonly limit: string; readonly max: number }>> = {
  members: { limit: 'argumentMembersMax', max: PROXY_LIMITS.argumentMembersMax },
  items: { limit: 'argumentItemsMax', max: PROXY_LIMITS.argumentItemsMax },
  depth: { limit: 'argumentDepthMax', max: PROXY_LIMITS.argumentDepthMax },
};

function exceeded(value: unknown, depth: number, counts: { members: number; items: number }): Bound | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === BOUNDS.depth.max) return 'depth';
  const kind = Array.isArray(value) ? 'items' : 'members';
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  counts[kind] += parts.length;
  if (counts[kind] > BOUNDS[kind].max) return kind;
  for (const part of parts) {
    const bound = exceeded(part, depth + 1, counts);
    if (bound !== undefined) return bound;
  }
  return undefined;
}
