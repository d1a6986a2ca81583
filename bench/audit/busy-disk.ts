import { fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';

/** Keeps the disk busy until it is stopped, as a build or a download would: writes megabytes and flushes now and then. Argument: a file. */
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');
const FLUSH_EVERY = 50;
const FILE_MEGABYTES = 400;
const file = openSync(process.argv[2] as string, 'w');
process.on('disconnect', () => process.exit());
process.send?.('busy');

let written = 0;
function write(): void {
  writeSync(file, MEGABYTE, 0, MEGABYTE.length, (written % FILE_MEGABYTES) * MEGABYTE.length);
  written += 1;
  if (written % FLUSH_EVERY === 0) fdatasyncSync(file);
  if (written % FILE_MEGABYTES === 0) ftruncateSync(file, 0);
  setImmediate(write);
}
write();
