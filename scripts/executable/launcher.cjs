// The main script of the single-file executable. It brings the program as an asset, puts it into the cache folder of the user once, and runs
// it there with the Node that the executable is. Threads, parts that load late and files of the console are then found beside it.
const { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const { getAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

const digest = getAsset('digest', 'utf8');
const words = process.argv.slice(2);
// The program starts processes of its own with `process.execPath` and one of its files: then this is that Node. Their environment may
// not say where the cache folder is; the file does.
const [ownRoot] =
  (isAbsolute(words[0] ?? '') && words[0].match(new RegExp(`^.*[/\\\\]bindery[/\\\\]${digest}(?=[/\\\\])`))) || [];
const root = ownRoot ?? join(cacheFolder(), digest);
if (!existsSync(join(root, 'package.json'))) unpack();

const file = ownRoot === undefined ? join(root, 'bin', 'bindery.js') : words.shift();
process.argv = [process.execPath, file, ...words];
createRequire(join(root, 'run.cjs'))('./run.cjs')(file);

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const home = HOME || homedir();
  if (process.platform === 'win32') return join(LOCALAPPDATA || join(home, 'AppData', 'Local'), 'bindery');
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'bindery');
  return join(XDG_CACHE_HOME || join(home, '.cache'), 'bindery');
}

/** Whoever starts at the same moment does the same; the first to finish gives the folder its name. */
function unpack() {
  const making = `${root}.${process.pid}`;
  const bytes = gunzipSync(Buffer.from(getAsset('files')));
  const indexBytes = bytes.readUInt32BE(0);
  const index = JSON.parse(bytes.subarray(4, 4 + indexBytes).toString('utf8'));
  let offset = 4 + indexBytes;
  rmSync(making, { recursive: true, force: true });
  for (const [path, length] of index) {
    mkdirSync(dirname(join(making, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(making, path), bytes.subarray(offset, offset + length));
    offset += length;
  }
  try {
    renameSync(making, root);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(join(root, 'package.json'))) throw error;
  }
}
