// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how config files spell variables.
import { expect, test } from 'vitest';
import { launchPlace, withPathsFrom } from './launch-place.ts';
import type { ServerEntry } from './server-entry.ts';

const places = { projectDir: '/project', serversDir: '/data/servers' };
const own = { source: 'global', file: '/homes/ada/.bindery/config.json' } as const;
const ofProject = { source: 'project', file: '/project/.bindery/config.json' } as const;
const inCode = { source: 'global', file: 'options' } as const;

function place(where: typeof own | typeof ofProject | typeof inCode, entry: Partial<ServerEntry>) {
  return launchPlace({ id: 'a', ...where, entry: { transport: 'stdio', ...entry } }, places);
}

test.each([
  ['npx', undefined, { command: 'npx', cwd: '/data/servers/a', isOwnCwd: true }],
  ['./run.sh', undefined, { command: '/homes/ada/.bindery/run.sh', cwd: '/data/servers/a', isOwnCwd: true }],
  ['bin/run', 'tools', { command: '/homes/ada/.bindery/bin/run', cwd: '/homes/ada/.bindery/tools' }],
  ['../run', '/srv/x', { command: '/homes/ada/run', cwd: '/srv/x' }],
  ['/opt/run', '.', { command: '/opt/run', cwd: '/homes/ada/.bindery' }],
])('an entry of the own config (%s in %s) has nothing to do with the project', (command, cwd, expected) => {
  const entry = { command, ...(cwd === undefined ? {} : { cwd }) };
  expect(place(own, entry)).toEqual({ ...expected, untrustedDir: '/project' });
});

test('an entry of the project starts in the project', () => {
  expect([place(ofProject, { command: './run' }), place(ofProject, { command: 'npx', cwd: 'sub' })]).toEqual([
    { command: './run', cwd: '/project' },
    { command: 'npx', cwd: '/project/sub' },
  ]);
});

test('an entry defined in code has no base folder for relative paths', () => {
  const why = 'must be an absolute path, because no config file names this server';
  expect([
    place(inCode, { command: './run' }),
    place(inCode, { command: 'npx', cwd: 'sub' }),
    place(inCode, { command: 'npx', cwd: '/srv' }),
  ]).toEqual([
    { reason: `command: ${why}` },
    { reason: `cwd: ${why}` },
    { command: 'npx', cwd: '/srv', untrustedDir: '/project' },
  ]);
});

test('the paths of an imported entry keep their meaning', () => {
  const moved = (entry: object) => withPathsFrom('/srv/p', { transport: 'stdio', ...entry });
  expect([
    moved({ command: './run', cwd: 'sub' }),
    moved({ command: 'npx' }),
    moved({ command: '${X}/run', cwd: '/a' }),
    moved({ command: 7, cwd: 7 }),
  ]).toEqual([
    { transport: 'stdio', command: '/srv/p/run', cwd: '/srv/p/sub' },
    { transport: 'stdio', command: 'npx' },
    { transport: 'stdio', command: '${X}/run', cwd: '/a' },
    { transport: 'stdio', command: 7, cwd: 7 },
  ]);
});
