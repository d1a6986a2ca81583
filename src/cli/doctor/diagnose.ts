import { resolve } from 'node:path';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { likelyPort } from '../gateway-port.ts';
import { registryFileOfCommand } from '../registry-location.ts';
import { checkClients } from './check-clients.ts';
import { checkApprovals, checkConfig, checkPolicies, checkTokens, checkUnused } from './check-files.ts';
import { checkClock, checkDataDir, checkDisk, checkNode, checkPort } from './check-machine.ts';
import { checkServers } from './check-servers.ts';
import type { SetUp } from './finding.ts';

/** Looks at everything that a gateway needs, one thing after the other; each trouble has a remedy. */
export async function diagnose(setUp: SetUp, fix: boolean): Promise<Diagnosis[]> {
  const config = new ConfigStore({ global: setUp.configFile, project: projectConfigFile(resolve(setUp.cwd)) });
  return [
    ...checkNode(process.versions.node),
    ...checkDataDir(setUp, fix),
    ...checkUnused(setUp),
    ...checkDisk(setUp.dataDir),
    ...checkClock(Date.now()),
    ...(await checkConfig(config)),
    ...checkPolicies(setUp, await registryFileOfCommand(undefined, setUp.dataDir, setUp.cwd)),
    ...(await checkApprovals(config)),
    ...(await checkPort(setUp.running, likelyPort(setUp.configFile))),
    ...(await checkServers(setUp, config)),
    ...(await checkTokens(setUp.configFile)),
    ...checkClients(setUp),
  ];
}
