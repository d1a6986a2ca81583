import type { TraceContext } from './trace-context.ts';

/** Which traces are kept: a share of them, and whether a caller's own choice goes before it. */
export interface Sampler {
  /** 0 to 1. */
  readonly ratio: number;
  readonly followsParent: boolean;
}

/** Of the 56 random bits at the end of an id, the first 52: as many as a number holds exactly. */
const BITS = 2 ** 52;

/** The sampler of a name that OpenTelemetry defines; undefined for one that is not known here. */
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

/** Whether a trace is kept. Its id decides, so that every process with the same ratio decides alike. */
export function isSampled({ ratio, followsParent }: Sampler, traceId: string, parent?: TraceContext): boolean {
  if (followsParent && parent) return parent.isSampled;
  return Number.parseInt(traceId.slice(-14, -1), 16) >= (1 - ratio) * BITS;
}

/** What is no share of the whole is all of it, as OpenTelemetry says. */
function ratioOf(argument: string | undefined): number {
  const ratio = argument === undefined || argument.trim() === '' ? 1 : Number(argument);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
