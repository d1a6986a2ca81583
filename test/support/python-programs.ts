import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../naive/python_programs.py', import.meta.url));

export const hasPython = spawnSync('python3', ['--version']).status === 0;

export interface PythonReading {
  /** Real paths that programs in Python open for the text. */
  readonly paths: readonly string[];
  /** Hosts that they reach. */
  readonly hosts: readonly string[];
}

/** What programs in Python make of texts; undefined where there is no Python. */
export function pythonReadings(
  texts: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): readonly PythonReading[] | undefined {
  if (!hasPython) return undefined;
  const { stdout, stderr } = spawnSync('python3', [program], {
    input: JSON.stringify({ cwd, texts }),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, SECRET: '/etc' },
    maxBuffer: 256 * 1024 * 1024,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as PythonReading[];
}
