import { isObject } from '../../contract/json.ts';
import type { OutputPromises } from '../../gateway/search/output-promises.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Target } from './client-call.ts';

const STRUCTURED = Buffer.from('"structuredContent"');

/** Whether an answer breaks the output schema of its tool. Large answers are not checked: parsing them costs more than the call. */
export function breaksSchema(promises: OutputPromises, target: Target, answer: Uint8Array): boolean {
  if (target.outputSchema === undefined || answer.length > PROXY_LIMITS.checkedOutputBytesMax) return false;
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  if (!bytes.includes(STRUCTURED)) return false;
  const { result } = JSON.parse(bytes.toString('utf8')) as { readonly result?: unknown };
  return isObject(result) && promises.isBroken(target, result.structuredContent);
}
