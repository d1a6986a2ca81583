import { isGitRoot, runGit } from '../../store/corpus/run-git.ts';
import { CIVIC_SETTINGS, type CivicConfig } from './civic-config.ts';

/** Settings without effect: misspelt keys, and git settings without a repository. */
export async function civicWarnings(config: CivicConfig, dir: string): Promise<string[]> {
  const unknown = Object.keys(config).filter((key) => !Object.hasOwn(CIVIC_SETTINGS, key));
  const warnings = unknown.map((key) => `civic: unknown key "${key}" of config.json has no effect`);
  const { git_sign, git_push, proposals } = config;
  const wanted = [
    ...(git_sign ? ['git_sign'] : []),
    ...(git_push === undefined ? [] : ['git_push']),
    ...(proposals === 'off' ? [] : ['proposals']),
  ];
  if (wanted.length > 0 && !isGitRoot(dir)) {
    return [...warnings, `civic: ${wanted.join(', ')} has no effect: "${dir}" is not the root of a git repository`];
  }
  if (git_push !== undefined && !(await hasRemote(dir, git_push))) {
    const problem = `git_push names the remote "${git_push}", which the repository of the corpus does not have`;
    warnings.push(`civic: ${problem}; see \`git remote\``);
  }
  return warnings;
}

function hasRemote(dir: string, name: string): Promise<boolean> {
  return runGit(dir, ['remote', 'get-url', name]).then(
    () => true,
    () => false,
  );
}
