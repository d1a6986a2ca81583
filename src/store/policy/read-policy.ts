import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { parsePolicy, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { ParsedPolicy } from '../../gateway/policy/policy-document.ts';

/** A policy file as it is now; its text is null if it exists but cannot be read. */
export interface ReadPolicy {
  readonly text: string | null;
  readonly policy: ParsedPolicy;
}

export interface ReadPolicyOptions {
  /** The folder that must contain the file. */
  readonly within?: string | undefined;
  readonly bytesMax?: number | undefined;
  /** The previous read: an equal text is not parsed again. */
  readonly before?: ReadPolicy | undefined;
}

/** Reads a policy file; undefined if there is none. An unreadable file is as bad as an invalid one. */
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

/** A text that crashes the parser is a bad file: the other layers must still be read. */
function parsed(text: string): ParsedPolicy {
  try {
    return parsePolicy(text);
  } catch (thrown) {
    return unreadablePolicy(`the file cannot be parsed: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

class NotUtf8 extends Error {}

/** Refuses invalid UTF-8, which would decode to other names than the written ones. */
function decode(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NotUtf8(undefined, { cause });
  }
}
