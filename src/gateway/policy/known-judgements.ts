import { GATEWAY_LIMITS } from '../limits.ts';
import { type Attempt, type Judgement, judge, type PolicyLayer } from './decide.ts';

interface Known {
  readonly layers: readonly PolicyLayer[];
  readonly byTool: Map<string, Judgement>;
}

/** By the last layer: when a policy changes, its layer is another one, and what was known of it goes. */
const known = new WeakMap<PolicyLayer, Known>();

/** Judges like `judge`. Where no rule looks at the arguments, the same tool is judged once as long as policy stays what it is. */
export function judgeKnown(layers: readonly PolicyLayer[], attempt: Attempt): Judgement {
  const last = layers.at(-1);
  if (!last) return judge(layers, attempt);
  const { byTool } = knownOf(last, layers);
  const key = `${attempt.server}\n${attempt.tool}`;
  const before = byTool.get(key);
  if (before) return before;
  const judgement = judge(layers, attempt);
  if (judgement.judgesArguments) return judgement;
  if (byTool.size >= GATEWAY_LIMITS.judgementsKeptMax) byTool.clear();
  byTool.set(key, judgement);
  return judgement;
}

function knownOf(last: PolicyLayer, layers: readonly PolicyLayer[]): Known {
  const before = known.get(last);
  if (before?.layers.length === layers.length && before.layers.every((layer, index) => layer === layers[index]))
    return before;
  const now = { layers, byTool: new Map<string, Judgement>() };
  known.set(last, now);
  return now;
}
