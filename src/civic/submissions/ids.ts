import type { Clock, Random } from '../../contract/ports.ts';

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

export const SUBMISSION_ID = new RegExp(`^sub_${UUID_V7}$`);
export const SESSION_ID = new RegExp(`^ses_${UUID_V7}$`);

/** `<prefix>_<uuidv7>`: ids sort by creation time [SU4]. */
export function mintId(prefix: 'sub' | 'que', clock: Clock, random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes.writeUIntBE(clock.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = bytes.toString('hex');
  return `${prefix}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function mintCancelToken(random: Random): string {
  return `can_${Buffer.from(random.bytes(32)).toString('base64url')}`;
}
