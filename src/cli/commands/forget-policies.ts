import { existsSync } from 'node:fs';
import type { Restored } from '../../gateway/administration/deps.ts';
import { openDatabase } from '../../store/open-database.ts';
import { PolicyVersions } from '../../store/policy/policy-versions.ts';

/** A person removed these files for good: deletes their last good versions. */
export function forgetRemovedPolicies({ files }: Restored, registryFile: string): void {
  const removed = files.filter(({ action }) => action === 'removed');
  if (removed.length === 0 || !existsSync(registryFile)) return;
  const database = openDatabase(registryFile);
  try {
    const versions = new PolicyVersions(database);
    for (const { path } of removed) versions.forget(path);
  } finally {
    database.close();
  }
}
