import { isObject } from '../../contract/json.ts';

/** The scope of an answer beyond this call. */
export type Extent = 'tool' | 'server' | 'read_only';

export type PermissionAnswer =
  | { readonly decision: 'allow'; readonly remember: 'once' }
  | {
      readonly decision: 'allow';
      readonly remember: 'session' | 'always';
      readonly extent: Extent;
    }
  | { readonly decision: 'deny'; readonly reason?: string };

const EXTENTS: readonly unknown[] = ['tool', 'server', 'read_only'] satisfies Extent[];

/**
 * Copies the answer of a prompt: reads each member once, so that a getter cannot change it between check and use. Only a well-formed
 * `allow` allows; a string describes what is wrong with any other answer.
 */
export function readAnswer(given: unknown): PermissionAnswer | string {
  if (!isObject(given)) return `the answer of the prompt is ${kindOf(given)}, not { decision: 'allow' | 'deny', … }`;
  const { decision, remember, extent, reason } = given;
  if (decision === 'deny') return typeof reason === 'string' ? { decision, reason } : { decision };
  if (decision !== 'allow') return `the answer of the prompt has decision ${shown(decision)}, not 'allow' or 'deny'`;
  if (remember === 'once' && extent === undefined) return { decision, remember };
  if (remember !== 'once' && remember !== 'session' && remember !== 'always') {
    return `the answer of the prompt allows with remember ${shown(remember)}, not 'once', 'session' or 'always'`;
  }
  if (!isExtent(extent)) {
    return `the answer of the prompt allows with extent ${shown(extent)}, not 'tool', 'server' or 'read_only'`;
  }
  return remember === 'once' ? { decision, remember } : { decision, remember, extent };
}

function isExtent(value: unknown): value is Extent {
  return EXTENTS.includes(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** A value for an error message: short, and never the text of an object. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : kindOf(value);
}
