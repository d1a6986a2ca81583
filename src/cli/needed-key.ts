import { type GatewayAddress, KEY_VARIABLE } from '../gateway/import/client-formats.ts';

const PROBE_MS = 3_000;

/** The address, with the variable that holds the key if the gateway there requires one. */
export async function withNeededKey(address: GatewayAddress): Promise<GatewayAddress> {
  const answer = await fetch(address.url, { redirect: 'manual', signal: AbortSignal.timeout(PROBE_MS) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
  return answer?.status === 401 ? { ...address, keyVariable: KEY_VARIABLE } : address;
}
