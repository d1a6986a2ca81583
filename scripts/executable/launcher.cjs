// The main script of the single-file executable. It brings the program as an asset, puts it into the cache folder of the user once, and runs
// it there with the Node that the executable is. Threads, parts that load late and files of the console are then found beside it.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const { getAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

/** What was seen of the files when their content was last compared, so that a start reads none that has not changed since. */
const STAMPS = 'stamps.json';
const digest = getAsset('digest', 'utf8');
const words = process.argv.slice(2);
// The program starts processes of its own with `process.execPath` and one of its files: then this is that Node. Their environment may
// not say where the cache folder is; the file does.
const [ownRoot] =
  (isAbsolute(words[0] ?? '') && words[0].match(new RegExp(`^.*[/\\\\]bindery[/\\\\]${digest}(?=[/\\\\])`))) || [];
const root = ownRoot ?? join(cacheFolder(), digest);
if (ownRoot === undefined) provideFiles();

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

/** Unpacks the files, or writes those again that are not as they were packed. Without them there is no program. */
function provideFiles() {
  try {
    if (existsSync(root)) repair();
    else unpack();
  } catch (error) {
    process.stderr.write(
      `error: The files of this program in ${root} are missing or damaged, and they cannot be written: ${error.message}.\n` +
        '  Make that folder writable, delete it, or set XDG_CACHE_HOME (Windows: LOCALAPPDATA) to another one.\n',
    );
    process.exit(1);
  }
}

/** Whoever starts at the same moment does the same; the first to finish gives the folder its name. */
function unpack() {
  const making = `${root}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  for (const [path, bytes] of packedFiles()) {
    mkdirSync(dirname(join(making, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(making, path), bytes);
  }
  try {
    renameSync(making, root);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(root)) throw error;
  }
}

/** A process that runs may load the files at this moment, so each of them is replaced in one step. */
function repair() {
  const index = JSON.parse(getAsset('index', 'utf8'));
  const known = readStamps();
  const stamps = index.map(([path]) => stampOf(path));
  const isKnown = (at) => stamps[at] !== undefined && stamps[at] === known[at];
  if (index.every((_, at) => isKnown(at))) return;
  const damaged = new Set(
    index.filter(([path, length, wanted], at) => !isKnown(at) && !isWhole(path, length, wanted)).map(([path]) => path),
  );
  if (damaged.size > 0) {
    for (const [path, bytes] of packedFiles()) if (damaged.has(path)) replace(path, bytes);
    process.stderr.write(
      `Repaired ${damaged.size} damaged ${damaged.size === 1 ? 'file' : 'files'} of this program in ${root}\n`,
    );
  }
  try {
    replace(STAMPS, JSON.stringify(index.map(([path]) => stampOf(path))));
  } catch {
    // A folder that cannot be written: each start reads the files then.
  }
}

function readStamps() {
  try {
    const stamps = JSON.parse(readFileSync(join(root, STAMPS), 'utf8'));
    return Array.isArray(stamps) ? stamps : [];
  } catch {
    return [];
  }
}

/** Every write changes it, also one that sets the time of the content back. */
function stampOf(path) {
  const seen = statSync(join(root, path), { throwIfNoEntry: false, bigint: true });
  return seen?.isFile() ? `${seen.ino} ${seen.size} ${seen.mtimeNs} ${seen.ctimeNs}` : undefined;
}

function isWhole(path, length, wanted) {
  const file = join(root, path);
  const seen = statSync(file, { throwIfNoEntry: false });
  return (
    seen?.isFile() === true &&
    seen.size === length &&
    createHash('sha256').update(readFileSync(file)).digest('hex') === wanted
  );
}

function replace(path, content) {
  const making = join(root, `${path}.${process.pid}`);
  mkdirSync(dirname(making), { recursive: true, mode: 0o700 });
  writeFileSync(making, content);
  renameSync(making, join(root, path));
}

/** The files of the asset: their bytes follow each other in the order of the index. */
function* packedFiles() {
  const bytes = gunzipSync(Buffer.from(getAsset('files')));
  let offset = 0;
  for (const [path, length] of JSON.parse(getAsset('index', 'utf8'))) {
    yield [path, bytes.subarray(offset, offset + length)];
    offset += length;
  }
}
