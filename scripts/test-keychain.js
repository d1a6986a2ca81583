// Tests the keychain with a real Secret Service: installs it on Debian-like systems, then runs the test, which must not be skipped.
import { spawnSync } from 'node:child_process';

const PACKAGES = ['dbus', 'gnome-keyring', 'libsecret-1-0'];
const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

if (!has('gnome-keyring-daemon') || !has('dbus-daemon')) {
  const install = ['apt-get', 'install', '-y', ...PACKAGES];
  const command = process.getuid?.() === 0 ? install : ['sudo', ...install];
  if (!has('apt-get')) {
    console.error(`error: install ${PACKAGES.join(', ')} (or what your system calls them), then run this again`);
    process.exit(1);
  }
  console.log(`> ${command.join(' ')}`);
  run(command[0], command.slice(1));
}
run('vitest', ['run', 'test/host/wire-keyring.test.ts', 'test/host/wire-keychain.test.ts'], {
  BINDERY_KEYCHAIN_REQUIRED: '1',
});

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
}
