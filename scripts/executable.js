// Makes one file that runs without an installed Node: a copy of Node with the program inside (Node's single executable application).
//   npm run executable                          for this machine
//   npm run executable -- --platform win-x64    for another one whose Node the npm registry has: linux-x64, linux-arm64, win-x64
// The registry has no current Node for macOS: run it on a Mac, and sign the file there (codesign --sign - executables/bindery-darwin-arm64).
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { makeExecutable } from './executable/make-executable.js';

const OUT = 'executables';
/** Libraries that the bundled files load by name, without the optional ones. */
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
/** Files that no program loads: maps, types, tests, and builds for browsers. */
const LEFT_OUT = /\.(map|d\.[cm]?ts|md|markdown|flow)$|(^|\/)(test|tests|docs|umd)\//;

const { values } = parseArgs({ options: { platform: { type: 'string' } } });
const here = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const platform = values.platform ?? here;
const folder = mkdtempSync(join(tmpdir(), 'bindery-executable-'));
try {
  const files = [...ownFiles(), ...LIBRARIES.flatMap((name) => libraryFiles(name))];
  const target = join(OUT, `bindery-${platform}${platform.startsWith('win') ? '.exe' : ''}`);
  mkdirSync(OUT, { recursive: true });
  const bytes = await makeExecutable(target, platform === here ? process.execPath : nodeFor(platform), new Map(files));
  console.log(
    `${target}: ${Math.round(statSync(target).size / 1e6)} MB, of which ${Math.round(bytes / 1e6)} MB are the program`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The files of the package; of the build only those that run. */
function ownFiles() {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
  const names = ['package.json', 'LICENSE', ...files.flatMap((name) => globSync([name, `${name}/**/*`]))];
  const isUsed = (name) => statSync(name).isFile() && !/^dist\W(?!(bundle|console)\W)/.test(name);
  return names.filter(isUsed).map((name) => [name, readFileSync(name)]);
}

/** A library and its dependencies, in the folders where Node looks for them. */
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

/** Node of this version for another platform, from the npm registry. */
function nodeFor(name) {
  const version = process.versions.node;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['pack', `node-${name}@${version}`, '--pack-destination', folder], { stdio: 'ignore' });
  execFileSync('tar', ['-xzf', join(folder, `node-${name}-${version}.tgz`), '-C', folder]);
  return join(folder, 'package', 'bin', name.startsWith('win') ? 'node.exe' : 'node');
}
