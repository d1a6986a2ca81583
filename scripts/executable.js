// Makes one file that runs without an installed Node: a copy of Node with the program inside (Node's single executable application).
//   npm run executable                          for this machine
//   npm run executable -- --platform win-x64    for another one whose Node the npm registry has: linux-x64, linux-arm64, win-x64
// The registry has no current Node for macOS: run it on a Mac, and sign the file there (codesign --sign - executables/bindery-darwin-arm64).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { inject } from 'postject';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const OUT = 'executables';
/** Libraries that the joined files load by name; the optional ones stay out. */
const LIBRARIES = [
  '@clack/prompts',
  'diff',
  'gpt-tokenizer',
  'jose',
  'pg',
  'proper-lockfile',
  'undici',
  'write-file-atomic',
];
/** What no program loads: maps, types, tests, and builds for browsers. */
const LEFT_OUT = /\.(map|d\.[cm]?ts|md|markdown|flow)$|(^|\/)(test|tests|docs|umd)\//;

const { values } = parseArgs({ options: { platform: { type: 'string' } } });
const here = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const platform = values.platform ?? here;
const folder = mkdtempSync(join(tmpdir(), 'bindery-executable-'));
try {
  const files = [...ownFiles(), ...LIBRARIES.flatMap((name) => libraryFiles(name)), runFile()];
  const packed = pack(new Map(files));
  const target = join(OUT, `bindery-${platform}${platform.startsWith('win') ? '.exe' : ''}`);
  mkdirSync(OUT, { recursive: true });
  copyFileSync(platform === here ? process.execPath : nodeFor(platform), target);
  chmodSync(target, 0o755);
  await inject(target, 'NODE_SEA_BLOB', blobOf(packed), { sentinelFuse: FUSE, machoSegmentName: 'NODE_SEA' });
  console.log(
    `${target}: ${Math.round(statSync(target).size / 1e6)} MB, of which ${Math.round(packed.length / 1e6)} MB are the program`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What the package has; of the build, what runs. */
function ownFiles() {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = ['package.json', 'LICENSE', ...files.flatMap((name) => globSync([name, `${name}/**/*`]))];
  const isUsed = (name) => statSync(name).isFile() && !/^dist\W(?!(bundle|console)\W)/.test(name);
  return names.filter(isUsed).map((name) => [name, readFileSync(name)]);
}

/** A file that imports as files do: the main script of the executable cannot. */
function runFile() {
  return [
    'run.cjs',
    Buffer.from(
      "const { pathToFileURL } = require('node:url');\nmodule.exports = (file) => import(pathToFileURL(file));\n",
    ),
  ];
}

/** A library and those that it needs, where Node looks for them. */
function libraryFiles(name, from = '.', seen = new Set()) {
  const place = placeOf(name, from);
  if (seen.has(place)) return [];
  seen.add(place);
  const { dependencies = {} } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const own = readdirSync(place, { recursive: true })
    .map((file) => join(place, file))
    .filter(
      (file) =>
        statSync(file).isFile() &&
        !relative(place, file).includes('node_modules') &&
        !LEFT_OUT.test(relative(place, file)),
    );
  return [
    ...own.map((file) => [file, readFileSync(file)]),
    ...Object.keys(dependencies).flatMap((needed) => libraryFiles(needed, place, seen)),
  ];
}

function placeOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (statSync(join(place, 'package.json'), { throwIfNoEntry: false })) return place;
    if (folder === '.') throw new Error(`${name} is not installed: run npm install`);
  }
}

/** The length of an index, the index, and the bytes of the files in its order. */
function pack(files) {
  const names = [...files.keys()].sort();
  const index = Buffer.from(JSON.stringify(names.map((name) => [name.replaceAll('\\', '/'), files.get(name).length])));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(index.length);
  return gzipSync(Buffer.concat([length, index, ...names.map((name) => files.get(name))]), { level: 9 });
}

function blobOf(packed) {
  const write = (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const config = {
    main: join('scripts', 'executable', 'launcher.cjs'),
    output: join(folder, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: {
      files: write('files', packed),
      digest: write('digest', createHash('sha256').update(packed).digest('hex').slice(0, 16)),
    },
  };
  execFileSync(process.execPath, ['--experimental-sea-config', write('sea.json', JSON.stringify(config))], {
    stdio: 'ignore',
  });
  return readFileSync(config.output);
}

/** The Node of this version for another platform, as the npm registry has it. */
function nodeFor(name) {
  const version = process.versions.node;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['pack', `node-${name}@${version}`, '--pack-destination', folder], { stdio: 'ignore' });
  execFileSync('tar', ['-xzf', join(folder, `node-${name}-${version}.tgz`), '-C', folder]);
  return join(folder, 'package', 'bin', name.startsWith('win') ? 'node.exe' : 'node');
}
