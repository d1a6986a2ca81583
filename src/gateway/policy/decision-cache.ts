import { GATEWAY_LIMITS } from '../limits.ts';
import { type Attempt, type Judgement, judge, type PolicyLayer } from './decide.ts';

interface CachedDecisions {
  readonly layers: readonly PolicyLayer[];
  readonly byTool: Map<string, Judgement>;
}

/** Keyed by the last layer: a changed policy has a new layer object, so its cached decisions are garbage-collected with the old one. */
const cached = new WeakMap<PolicyLayer, CachedDecisions>();

/** Like `judge`, but caches the decision until policy changes, unless it depends on the arguments or the time. */
export function judgeCached(layers: readonly PolicyLayer[], attempt: Attempt): Judgement {
  const last = layers.at(-1);
  if (!last) return judge(layers, attempt);
  const { byTool } = decisionsOf(last, layers);
  const key = `${attempt.readOnly === true ? 'r' : 'w'}\n${attempt.server}\n${attempt.tool}`;
  const before = byTool.get(key);
  if (before) return before;
  const judgement = judge(layers, attempt);
  if (judgement.judgesArguments || judgement.judgesTime) return judgement;
  if (byTool.size >= GATEWAY_LIMITS.judgementsKeptMax) byTool.clear();
  byTool.set(key, judgement);
  return judgement;
}

function decisionsOf(last: PolicyLayer, layers: readonly PolicyLayer[]): CachedDecisions {
  const before = cached.get(last);
  if (before?.layers.length === layers.length && before.layers.every((layer, index) => layer === layers[index]))
    return before;
  const fresh = { layers, byTool: new Map<string, Judgement>() };
  cached.set(last, fresh);
  return fresh;
}
