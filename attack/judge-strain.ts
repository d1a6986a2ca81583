import type { Strain } from './watch-gateway.ts';

/** The limits of docs/security-model.md. */
const RSS_MB_MAX = 500;
const STALL_MS_MAX = 250;
/** A busy machine stalls everything: a stall counts only if it is this many times that of a run without an attack. */
const STALL_RATIO_MAX = 8;
/** A shorter baseline is noise of the clock. */
const BASELINE_MS_MIN = 10;

/** The longest `/healthz` during the attack, divided by that without an attack. */
export function stallRatio(strain: Strain, baseline: Strain): number {
  return strain.stallMs / Math.max(BASELINE_MS_MIN, baseline.stallMs);
}

/** Whether it stalled far longer than both the bound and a run without an attack. */
export function isStalled(strain: Strain, baseline: Strain): boolean {
  return strain.stallMs > STALL_MS_MAX && stallRatio(strain, baseline) > STALL_RATIO_MAX;
}

/** A problem of the gateway during the attack; undefined: none. */
export function strainProblem(strain: Strain, baseline: Strain, stallsFail: boolean): unknown {
  if (strain.rssMb > RSS_MB_MAX) return new Error(`the gateway grew to ${strain.rssMb} MB`);
  if (strain.wrongAnswer !== undefined) return strain.wrongAnswer;
  if (!stallsFail || !isStalled(strain, baseline)) return undefined;
  const ratio = stallRatio(strain, baseline).toFixed(0);
  return new Error(`/healthz took ${strain.stallMs} ms, ${ratio} times the ${baseline.stallMs} ms without an attack`);
}
