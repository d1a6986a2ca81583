import { resolve } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { accessRemedy } from '../access-remedy.ts';
import { likelyPort } from '../gateway-port.ts';
import { registryFileOfCommand } from '../registry-location.ts';
import { checkClients } from './check-clients.ts';
import { checkApprovals, checkConfig, checkPolicies, checkTokens, checkUnused } from './check-files.ts';
import {
  checkAccess,
  checkClock,
  checkDataDir,
  checkDisk,
  checkGateways,
  checkInterrupted,
  checkLeftovers,
  checkNode,
  checkVariables,
} from './check-machine.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkProfiles, checkReadiness, checkServers } from './check-servers.ts';
import { checkKeys, checkStored } from './check-stored.ts';
import { type SetUp, trouble } from './finding.ts';

/** Checks everything that a gateway needs, one after the other; each problem has a remedy. */
export async function diagnose(setUp: SetUp, fix: boolean): Promise<Diagnosis[]> {
  const config = new ConfigStore({ global: setUp.configFile, project: projectConfigFile(resolve(setUp.cwd)) });
  const registryFile = await registryFileOfCommand(undefined, setUp.dataDir, setUp.cwd);
  const checks: readonly (readonly [string, () => Diagnosis[] | Promise<Diagnosis[]>])[] = [
    ['node', () => checkNode(process.versions.node)],
    ['data', () => checkDataDir(setUp, fix)],
    ['data', () => checkStored(setUp, registryFile)],
    ['data', () => checkInterrupted(setUp)],
    ['data', () => checkLeftovers(setUp, fix)],
    ['config', () => checkVariables(setUp)],
    ['config', () => checkAccess(setUp, fix)],
    ['config', () => checkUnused(setUp)],
    ['disk', () => checkDisk(setUp.dataDir)],
    ['clock', () => checkClock(Date.now())],
    ['config', () => checkConfig(config)],
    ['config', () => checkSecrets(setUp, fix)],
    ['config', () => checkProfiles(registryFile, config)],
    ['policy', () => checkPolicies(setUp, registryFile, config)],
    ['approvals', () => checkApprovals(config)],
    ['gateway', () => checkGateways(setUp, likelyPort(setUp.configFile))],
    ['gateway', () => checkReadiness(setUp.running)],
    ['servers', () => checkServers(setUp, config)],
    ['tokens', () => checkTokens(setUp.configFile)],
    ['keys', () => checkKeys(registryFile)],
    ['clients', async () => checkClients(setUp, (await config.load()).servers)],
  ];
  const findings: Diagnosis[] = [];
  for (const [check, run] of checks) findings.push(...(await runCheck(check, run)));
  return withoutRepeats(findings.map(withAccess));
}

/** A check that cannot read its input reports that as a finding; the other checks continue. */
async function runCheck(check: string, run: () => Diagnosis[] | Promise<Diagnosis[]>): Promise<Diagnosis[]> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof BinderyError) {
      return [trouble('error', check, thrown.detail ?? thrown.message, thrown.next)];
    }
    const { code, path } = thrown as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw thrown;
    const remedy = /^(?:EACCES|EPERM)$/.test(code) ? accessRemedy(path) : 'Check what is at this path.';
    return [trouble('error', check, `${path} cannot be read (${code})`, remedy)];
  }
}

/** Whatever a check needs of a file: if this user may not read it, that is what to change. */
function withAccess(finding: Diagnosis): Diagnosis {
  const [, path] = /^(\/.+?)(?:, line \d+)?: .*\((?:EACCES|EPERM)\)$/.exec(finding.message) ?? [];
  return path === undefined ? finding : { ...finding, fix: accessRemedy(path) };
}

/** Removes duplicates: several checks may read the same file, and what opens a folder opens everything in it. Drops an `ok` if the same check also has an error. */
function withoutRepeats(findings: readonly Diagnosis[]): Diagnosis[] {
  const said = new Set<string>();
  const isWell = (check: string) => !findings.some((one) => one.check === check && one.level === 'error');
  return findings.filter(({ level, check, message, fix }) => {
    if (level === 'ok') return isWell(check);
    return said.size < said.add(fix !== null && /`(?:chmod u\+|sudo chown )/.test(fix) ? fix : message).size;
  });
}
