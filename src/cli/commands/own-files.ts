import { dirname, join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { takeOutChange } from '../../host/config/take-out-change.ts';
import { updateFile } from '../../host/config/update-file.ts';
import type { OwnFiles } from '../../store/import/plan-restore.ts';
import { unitFile } from '../init/systemd-unit.ts';
import { shellWord } from '../shell-word.ts';

/** The files of ours that `init` and `import` write: the config, the policy of the person, and the unit of the service. */
export function ownFiles(configFile: string, env: NodeJS.ProcessEnv): OwnFiles {
  const all = [configFile, join(dirname(configFile), 'project_mcp.json'), unitFile(env)];
  return {
    has: (path) => all.includes(path),
    takeOut: (texts) => {
      const { text, left } = takeOutChange(texts);
      return { text, left: left.map(sentenceOf) };
    },
    replace: (path, now, text) => {
      const checked = (current: string | undefined) => {
        if (current === now) return text;
        throw new BinderyError('RESTORE_CONFLICT', { detail: `${path} changed while it was restored` });
      };
      return updateFile(path, checked, { mode: 0o600 });
    },
  };
}

function sentenceOf(path: readonly string[]): string {
  const [room, list, id] = path;
  if (room !== 'mcp' || list !== 'servers' || id === undefined) return `${path.join('.')} has changed since`;
  return `the server ${id} has changed since; \`bindery mcp remove ${shellWord(id)} --scope global\` removes it`;
}
