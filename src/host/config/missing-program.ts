import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Programs that start servers, and how to install them. */
const INSTALLED_WITH: Readonly<Record<string, string>> = {
  node: 'Node.js',
  npx: 'Node.js',
  npm: 'Node.js',
  uv: 'uv',
  uvx: 'uv',
  docker: 'Docker',
  podman: 'Podman',
  python: 'Python',
  python3: 'Python',
  pipx: 'pipx',
  bunx: 'Bun',
  deno: 'Deno',
};

/** Where to look for a program. */
export interface ProgramPlace {
  readonly path: string;
  /** The base of relative paths. */
  readonly cwd: string;
}

export interface MissingProgram {
  readonly what: string;
  readonly remedy: string;
}

/** Why a command cannot be started here, and the remedy; undefined if its program exists. */
export function missingProgram(command: string, { path, cwd }: ProgramPlace): MissingProgram | undefined {
  if (isProgram(command, path, cwd)) return undefined;
  if (/\s/.test(command)) {
    const what = `"${command}" is one word with spaces, and no program has that name`;
    return { what, remedy: 'Write the program and its arguments as words of their own.' };
  }
  if (/[\\/]/.test(command)) return { what: `there is no file ${command}`, remedy: 'Check the path.' };
  const brought = Object.hasOwn(INSTALLED_WITH, command) ? INSTALLED_WITH[command] : undefined;
  return {
    what: `the command ${command} is not on the PATH`,
    remedy:
      brought === undefined
        ? 'Install the program, or write its whole path as `command`.'
        : `Install ${brought}, which brings it, or write its whole path as \`command\`.`,
  };
}

function isProgram(command: string, path: string, cwd: string): boolean {
  if (isAbsolute(command) || /[\\/]/.test(command)) return existsSync(resolve(cwd, command));
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  return path
    .split(delimiter)
    .some((folder) => endings.some((ending) => existsSync(join(folder, `${command}${ending}`))));
}
