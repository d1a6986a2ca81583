/** The notification that carries a line of a server's log. */
export const LOG_MESSAGE = 'notifications/message';

/** How nearly all servers begin one. */
const USUAL_START = Buffer.from(`{"jsonrpc":"2.0","method":"${LOG_MESSAGE}",`);

/** Whether a message begins as lines of a log usually do: of thousands that nobody reads no more than that is looked at. */
export function beginsAsLogMessage(bytes: Uint8Array): boolean {
  if (bytes.length < USUAL_START.length) return false;
  for (let at = USUAL_START.length - 1; at >= 0; at -= 1) if (bytes[at] !== USUAL_START[at]) return false;
  return true;
}
