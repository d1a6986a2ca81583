import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Fills a folder with code that runs if a program starts in it or looks for programs there; gives the file that shows it. */
export async function makeHostileProject(folder: string): Promise<string> {
  const marker = join(folder, 'code-of-the-project-ran');
  const script = `#!/bin/sh\necho "$0" >> '${marker}'\n`;
  for (const path of ['run-server.sh', 'node_modules/.bin/helper', 'node_modules/.bin/only-here']) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, script);
    await chmod(file, 0o755);
  }
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await writeFile(join(folder, 'loaded.cjs'), `require('fs').appendFileSync(${JSON.stringify(marker)}, 'npmrc')`);
  await writeFile(join(folder, '.npmrc'), 'node-options=--require ./loaded.cjs\n');
  return marker;
}

/** Entries as people write them into their own config: each of them ran code of the folder in which Bindery was started. */
export const CARELESS_ENTRIES = {
  script: { transport: 'stdio', command: './run-server.sh' },
  npx: {
    transport: 'stdio',
    command: 'npx',
    args: ['--yes', 'helper'],
    env: {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    },
  },
  bare: { transport: 'stdio', command: 'only-here' },
} as const;
