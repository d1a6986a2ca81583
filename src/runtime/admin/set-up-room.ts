import { BinderyError } from '../../contract/errors.ts';
import type { Room } from '../../contract/operation.ts';
import type { AdministrationDeps } from '../../gateway/administration/deps.ts';
import { listFindings } from '../../gateway/administration/doctor-operation.ts';
import { explainConfig, type SettingsDeps } from '../../host/operations/settings-operation.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import type { UpSettings } from '../up-settings.ts';

type SetUpDeps = SettingsDeps & Pick<AdministrationDeps, 'diagnose'>;

/** The owner's questions about the whole set-up: what is wrong with it, and where each setting comes from. */
export const setUpRoom: Room<SetUpDeps> = {
  name: 'administration',
  summary: 'findings and settings',
  operations: [listFindings, explainConfig],
};

export function setUpDeps({ config }: GatewayAssembly, { setUp, flags }: UpSettings): SetUpDeps {
  return {
    config: config.store,
    settings: async () => (await setUp?.settings()) ?? unknown(),
    diagnose: async () => (await setUp?.diagnose()) ?? unknown(),
    flags: () => Object.fromEntries(Object.entries(flags).map(([name, value]) => [kebab(name), value])),
  };
}

function unknown(): never {
  throw new BinderyError('GATEWAY_NOT_RUNNING', { detail: 'this process does not know the whole set-up' });
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
