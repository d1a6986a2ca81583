import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { lintPolicy } from '../../gateway/policy/lint-policy.ts';
import type { KnownTools } from '../../gateway/policy/name-doubts.ts';
import { parsePolicy } from '../../gateway/policy/parse-policy.ts';
import type { PolicyFiles, PolicyPath } from '../../store/policy/policy-files.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';

export interface PolicySourceOptions {
  readonly policyFiles: PolicyFiles;
  readonly dataDir: string;
  now(): number;
  tools(): readonly { readonly server: string; readonly tool: string; readonly readOnly: boolean }[];
  /** Every configured server, even if it has not started yet. */
  known(): KnownTools;
  /** The layers of the default profile. */
  layers(): readonly PolicyLayer[];
  /** Puts a saved file in force. */
  accept(): Promise<void>;
}

/** Reads, previews and writes the policy files of a running gateway; no other file can be named. */
export function policySource(options: PolicySourceOptions): Pick<GatewayDeps['policy'], 'source' | 'preview' | 'save'> {
  const { policyFiles } = options;
  const pathOf = (file: string): PolicyPath => {
    const path = policyFiles.paths.find((one) => one.file === file);
    if (!path) throw new BinderyError('INVALID_ARGUMENTS', { detail: '/file: is no policy file of this gateway' });
    return path;
  };
  return {
    source: () => policyFiles.paths.map(sourceOf),
    preview: (file, text) => {
      const { layer } = pathOf(file);
      const policy = parsePolicy(text);
      const { ok, findings } = lintPolicy(policy, options.known());
      if (!ok) return { ok, findings, changes: [] };
      const before = options.layers();
      const isMeant = (one: PolicyLayer) => one.file === file && one.layer === layer;
      const mine: PolicyLayer = { layer, file, policy };
      const after = before.some(isMeant) ? before.map((one) => (isMeant(one) ? mine : one)) : [...before, mine];
      const changes = options.tools().flatMap(({ server, tool, readOnly }) => {
        const [was, is] = [before, after].map(
          (layers) => judge(layers, { server, tool, now: options.now, readOnly }).decision.decision,
        );
        return was === is ? [] : [{ server, tool, before: was as string, after: is as string }];
      });
      return { ok, findings, changes };
    },
    save: async (file, text, baseSha256) => {
      const path = pathOf(file);
      const current = sourceOf(path);
      if (current.sha256 !== baseSha256) throw new BinderyError('POLICY_CHANGED', { members: { file } });
      const backup = current.text === null ? null : keepBackup(options, file, current.text);
      await replaceFile(file, text, 0o644);
      await options.accept();
      return { ...sourceOf(path), backup };
    },
  };
}

function sourceOf({ layer, file }: PolicyPath) {
  const text = readPolicy(file)?.text ?? null;
  return { layer, file, text, sha256: text === null ? null : createHash('sha256').update(text).digest('hex') };
}

function keepBackup({ dataDir, now }: PolicySourceOptions, file: string, text: string): string {
  const folder = join(dataDir, 'backups', 'policy');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(now()).toISOString().replaceAll(':', '-');
  const backup = join(folder, `${time}-${basename(file)}`);
  writeFileSync(backup, text, { mode: 0o600 });
  return backup;
}
