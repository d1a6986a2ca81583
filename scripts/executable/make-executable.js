import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inject } from 'postject';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const LAUNCHER = join(import.meta.dirname, 'launcher.cjs');
/** Imports a file; the main script of the executable cannot import files itself. */
const RUN = "const { pathToFileURL } = require('node:url');\nmodule.exports = (file) => import(pathToFileURL(file));\n";

/** Writes `target`: a copy of `node` with a program (name → bytes) inside, which unpacks it and runs its `bin/bindery.js`. Returns the packed size. */
export async function makeExecutable(target, node, program) {
  const files = new Map([...program, ['run.cjs', Buffer.from(RUN)]]);
  const names = [...files.keys()].sort();
  const packed = gzipSync(Buffer.concat(names.map((name) => files.get(name))), { level: 9 });
  const index = JSON.stringify(
    names.map((name) => [name.replaceAll('\\', '/'), files.get(name).length, digestOf(files.get(name))]),
  );
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  const blob = blobOf({ files: packed, index, digest: digestOf(index).slice(0, 16) });
  await inject(target, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE, machoSegmentName: 'NODE_SEA' });
  return packed.length;
}

function digestOf(content) {
  return createHash('sha256').update(content).digest('hex');
}

function blobOf(contents) {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-executable-'));
  const write = (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  try {
    const config = {
      main: LAUNCHER,
      output: join(folder, 'blob'),
      disableExperimentalSEAWarning: true,
      assets: Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, write(name, content)])),
    };
    execFileSync(process.execPath, ['--experimental-sea-config', write('sea.json', JSON.stringify(config))], {
      stdio: 'ignore',
    });
    return readFileSync(config.output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
