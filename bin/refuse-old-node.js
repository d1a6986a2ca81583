// Runs before npm installs the package: where no command could run, the install says so and leaves nothing behind. A checkout brings
// its own Node, so any Node may install there.
import { existsSync } from 'node:fs';
import { MAJOR_MIN, MINOR_MIN } from './node-version.js';

const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < MAJOR_MIN || (major === MAJOR_MIN && minor < MINOR_MIN);
if (isOld && !existsSync(new URL('../src', import.meta.url))) {
  console.error(
    `Bindery needs Node ${MAJOR_MIN}.${MINOR_MIN} or newer, and this is Node ${process.versions.node}: install a newer Node (https://nodejs.org), then install Bindery again.`,
  );
  process.exit(1);
}
