import { join } from 'node:path';
import type { LayerName } from '../../gateway/policy/decide.ts';

/** Where policy files stand: one file in place of all, or that of the person and that of the project. */
export function policyPaths(
  policyFile: string | undefined,
  configDir: string,
  projectDir: string,
): readonly { readonly layer: LayerName; readonly file: string }[] {
  if (policyFile !== undefined) return [{ layer: 'file', file: policyFile }];
  return [
    { layer: 'global', file: join(configDir, 'project_mcp.json') },
    { layer: 'project', file: join(projectDir, 'project_mcp.json') },
  ];
}
