import { type BoundRoom, bindRoom } from '../../contract/operation.ts';
import { type AdminRecorder, recordedRoom } from '../../gateway/audit/recorded-room.ts';
import { gatewayRoom } from '../../gateway/room.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import type { UpSettings } from '../up-settings.ts';
import { actorOf } from '../users/actor-of.ts';
import { EventHub } from './event-hub.ts';
import { runningDeps } from './running-deps.ts';

/** The operations of a gateway at work, and the stream of what happens in it. */
export interface GatewayApi {
  readonly bound: BoundRoom;
  readonly events: EventHub;
}

export function gatewayApi(runtime: GatewayAssembly, { dataDir, clock, log, baseUrl }: UpSettings): GatewayApi {
  const events = new EventHub(runtime, dataDir, log);
  const deps = { ...runningDeps(runtime, dataDir, clock.now, baseUrl), events };
  return { bound: bindRoom(recordedRoom(gatewayRoom, adminRecorder(runtime, dataDir)), deps), events };
}

/** Records what comes through the admin API; who it is, the credential says. */
function adminRecorder(runtime: GatewayAssembly, dataDir: string): AdminRecorder {
  const { access, stores, config } = runtime;
  const { recorder, newCallId, now } = runtime.audit;
  return {
    append: (entry) => recorder.append(entry),
    newCallId,
    now,
    mask: (value) => config.redactor.value(value),
    actor: (call) => actorOf({ keys: stores.keys, access, dataDir }, call.header('authorization')).name,
  };
}
