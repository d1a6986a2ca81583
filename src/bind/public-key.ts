const PREFIX = 'ed25519:';

/** The 32 bytes of `ed25519:<padded standard base64>`; undefined for every other text, placeholders included. */
export function publicKeyBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^ed25519:[A-Za-z0-9+/]{43}=$/.test(value)) return undefined;
  const bytes = Buffer.from(value.slice(PREFIX.length), 'base64');
  return toPublicKeyText(bytes) === value ? bytes : undefined;
}

export function toPublicKeyText(bytes: Uint8Array): string {
  return `${PREFIX}${Buffer.from(bytes).toString('base64')}`;
}
