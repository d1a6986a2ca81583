import { execFileSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';
import { root } from './repository.ts';

/** Starts a real Chromium; where there is none it is installed by apt, and where that cannot be the run fails. */
export async function launchChromium(): Promise<Browser> {
  const found = execFileSync(process.execPath, [`${root}scripts/install-browser.js`], { encoding: 'utf8' });
  return chromium.launch({ executablePath: found.trim(), args: ['--no-sandbox', '--disable-smooth-scrolling'] });
}
