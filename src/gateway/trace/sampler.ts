import type { TraceContext } from './trace-context.ts';

/** Which traces are sampled: a ratio, and whether a caller's decision overrides it. */
export interface Sampler {
  /** 0 to 1. */
  readonly ratio: number;
  readonly followsParent: boolean;
}

/** The first 52 of the 56 random bits at the end of an id: as many as a number holds exactly. */
const BITS = 2 ** 52;

/** The sampler with an OpenTelemetry name; undefined if it is not supported. */
export function samplerOf(name: string, argument: string | undefined): Sampler | undefined {
  const followsParent = name.startsWith('parentbased_');
  switch (followsParent ? name.slice('parentbased_'.length) : name) {
    case 'always_on':
      return { ratio: 1, followsParent };
    case 'always_off':
      return { ratio: 0, followsParent };
    case 'traceidratio':
      return { ratio: ratioOf(argument), followsParent };
    default:
      return undefined;
  }
}

/** Whether to sample a trace. Depends on its id, so that all processes with the same ratio decide alike. */
export function isSampled({ ratio, followsParent }: Sampler, traceId: string, parent?: TraceContext): boolean {
  if (followsParent && parent) return parent.isSampled;
  return Number.parseInt(traceId.slice(-14, -1), 16) >= (1 - ratio) * BITS;
}

/** An invalid ratio means 1, as OpenTelemetry specifies. */
function ratioOf(argument: string | undefined): number {
  const ratio = argument === undefined || argument.trim() === '' ? 1 : Number(argument);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
