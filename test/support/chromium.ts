import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts a real Chromium; where there is none it is installed by apt, and where that cannot be the run fails. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium() ?? installChromium(), args: ['--no-sandbox'] });
}

function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  return named !== undefined && existsSync(named) ? named : PLACES.find((place) => existsSync(place));
}

function installChromium(): string {
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'];
  const [command = '', ...args] = process.getuid?.() === 0 ? install : ['sudo', ...install];
  spawnSync(command, args, { stdio: 'inherit' });
  const found = findChromium();
  if (found === undefined)
    throw new Error('install Chromium, or name it in the variable CHROMIUM, then run this again');
  return found;
}
