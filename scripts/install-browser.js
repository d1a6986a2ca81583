// Finds a Chromium for the tests of the console, or installs Debian's; prints where it is. Fails if none is available.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const find = () => PLACES.find((place) => place !== undefined && existsSync(place));

if (find() === undefined) {
  // Two test files may run this at the same moment: the second waits for the lock of the first.
  const wait = ['-o', 'DPkg::Lock::Timeout=600'];
  const install = ['install', '-y', '--no-install-recommends', ...wait, 'chromium'];
  if (apt(install) !== 0) {
    apt(['update', ...wait]);
    apt(install);
  }
}
const found = find();
if (found === undefined) {
  console.error('error: install Chromium, or name it in the variable CHROMIUM, then run this again');
  process.exit(1);
}
console.log(found);

function apt(args) {
  const [command, ...rest] = process.getuid?.() === 0 ? ['apt-get', ...args] : ['sudo', 'apt-get', ...args];
  return spawnSync(command, rest, { stdio: ['ignore', 2, 2] }).status;
}
