import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { parsePolicy, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { ParsedPolicy } from '../../gateway/policy/policy-document.ts';

/** A policy file as it is now: its text is null where it is there and cannot be read. */
export interface ReadPolicy {
  readonly text: string | null;
  readonly policy: ParsedPolicy;
}

export interface ReadPolicyOptions {
  /** The folder that the file must lie in. */
  readonly within?: string | undefined;
  readonly bytesMax?: number | undefined;
  /** How it was read last: an equal text is not parsed again. */
  readonly before?: ReadPolicy | undefined;
}

/** Reads a policy file; undefined where there is none. What cannot be read is as bad as what cannot be understood. */
export function readPolicy(
  file: string,
  { within, bytesMax = GATEWAY_LIMITS.policyFileBytesMax, before }: ReadPolicyOptions = {},
): ReadPolicy | undefined {
  let text: string | undefined;
  try {
    text = decode(readSuppliedFileSync({ path: file, within, bytesMax }));
  } catch (thrown) {
    const reason = thrown instanceof NotUtf8 ? 'it is not UTF-8' : refusalReason(thrown);
    if (reason === undefined) throw thrown;
    return { text: null, policy: unreadablePolicy(`the file cannot be read: ${reason}`) };
  }
  if (text === undefined) return undefined;
  return before?.text === text ? before : { text, policy: parsed(text) };
}

/** A text that the parser fails on is a bad file: it must not keep the other layers from being read. */
function parsed(text: string): ParsedPolicy {
  try {
    return parsePolicy(text);
  } catch (thrown) {
    return unreadablePolicy(`the file cannot be parsed: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

class NotUtf8 extends Error {}

/** Bytes that are not UTF-8 would be read as other names than the ones that were written. */
function decode(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NotUtf8(undefined, { cause });
  }
}
