import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BoundRoom, bindRoom } from '../../contract/operation.ts';
import type { KeyDeps } from '../../gateway/administration/key-operations.ts';
import { keyRoom } from '../../gateway/administration/room.ts';
import { type AdminRecorder, recordedRoom } from '../../gateway/audit/recorded-room.ts';
import { catalogRoom } from '../../gateway/catalog/catalog-operations.ts';
import { gatewayRoom } from '../../gateway/room.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import type { UpSettings } from '../up-settings.ts';
import { actorOf, isAdminCredential, keyNameOf } from '../users/actor-of.ts';
import { LOCAL_CALLER } from '../users/callers.ts';
import { VERSION } from '../version.ts';
import { wellKnownServers } from '../well-known-servers.ts';
import { EventHub } from './event-hub.ts';
import { runningDeps } from './running-deps.ts';
import { setUpDeps, setUpRoom } from './set-up-room.ts';

/** Marks a data directory with sample calls that were never made; the console says so. */
const SAMPLE_MARK = 'sample-data';

/** The operations of a running gateway, and its event stream. */
export interface GatewayApi {
  readonly bound: BoundRoom;
  readonly keys: BoundRoom;
  readonly catalog: BoundRoom;
  /** The owner's operations on the whole set-up. */
  readonly setUp: BoundRoom;
  readonly events: EventHub;
}

/** Further information about the address that serves the operations. */
export interface Served {
  /** The names of the other rooms. */
  readonly rooms: readonly string[];
  /** Whether callers without a credential are refused now. */
  keyNeeded(): boolean;
}

export function gatewayApi(runtime: GatewayAssembly, settings: UpSettings, { rooms, keyNeeded }: Served): GatewayApi {
  const { dataDir, clock, log, baseUrl } = settings;
  const events = new EventHub(runtime, dataDir, log);
  const about = () => ({
    version: VERSION,
    url: baseUrl(),
    rooms: [...rooms],
    key_needed: keyNeeded(),
    sample: existsSync(join(dataDir, SAMPLE_MARK)),
  });
  const isAdmin = (authorization: string | undefined) =>
    isAdminCredential({ keys: runtime.stores.keys, access: runtime.access, dataDir }, authorization);
  const keyName = (caller: string) => keyNameOf(runtime.stores, caller);
  const deps = { ...runningDeps(runtime, dataDir, clock.now, baseUrl), about, isAdmin, keyName, events };
  const recorder = adminRecorder(runtime, dataDir);
  const random = { bytes: (length: number) => randomBytes(length) };
  const keys: KeyDeps['keys'] = {
    create: async (request) => {
      const created = runtime.stores.keys.create(request, random);
      await runtime.shared?.registry.flush();
      return created;
    },
    list: () => runtime.stores.keys.list(),
    revoke: async (id) => {
      const revoked = runtime.stores.keys.revoke(id);
      await runtime.shared?.registry.flush();
      return revoked;
    },
  };
  return {
    bound: bindRoom(recordedRoom(gatewayRoom, recorder), deps),
    keys: bindRoom(recordedRoom(keyRoom, recorder), { keys }),
    // A gateway contacts no registry on behalf of callers.
    catalog: bindRoom(catalogRoom, { catalog: async () => wellKnownServers() }),
    setUp: bindRoom(setUpRoom, setUpDeps(runtime, settings)),
    events,
  };
}

/** Records requests to the admin API. The credential identifies the actor. */
function adminRecorder(runtime: GatewayAssembly, dataDir: string): AdminRecorder {
  const { access, stores, config } = runtime;
  const { recorder, newCallId, now } = runtime.audit;
  return {
    append: (entry) => recorder.append(entry),
    newCallId,
    now,
    mask: (value) => config.redactor.value(value),
    actor: (call) => {
      const authorization = call.header('authorization');
      // On this machine callers need no credential for their own actions, so this actor is not the admin.
      if (authorization === undefined && !call.signIn) return LOCAL_CALLER;
      return actorOf({ keys: stores.keys, access, dataDir }, authorization).name;
    },
  };
}
