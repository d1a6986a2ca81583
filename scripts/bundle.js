// Joins what tsc compiled, and the libraries under it, into few files: most of a start is the looking for and reading of modules.
// What is loaded late stays in files of its own; dist/ stays as it is, for whoever imports a part.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const OUT = join('dist', 'bundle');
const MAKING = `${OUT}.${process.pid}`;

/** The commands, and the modules that run in threads and processes of their own; those are found beside the file that starts them. */
const ENTRIES = [
  'cli/start',
  'cli/context-main',
  'store/context/ingest-worker',
  'store/context/postings-worker',
  'store/context/search-worker',
  'store/context/index-documents-worker',
  'store/search/minilm-worker',
  'store/audit/audit-thread-worker',
  'store/audit/wal-checkpointer-worker',
  'store/audit/audit-reads-worker',
  'host/transports/spawner-process',
];

/**
 * Code that several commands share would be a file for each set of them: sixty for `up`, a third of its start. A group is what an entry
 * needs, taken whole; what others need of it as well stays apart where it is large. Threads and processes of their own load
 * nothing that they do not use.
 */
const groups = (partBytes) => [
  { name: 'thread', test: /dist\/(store|host)\/.*-(worker|process)\.js$/, entriesAware: true, priority: 3 },
  { name: 'program', test: /dist\/cli\/program\.js$/, priority: 2 },
  { name: 'context', test: /dist\/cli\/context-main\.js$/, priority: 1 },
  { name: 'up', test: /dist\/cli\/up\.js$/, entriesAware: true, entriesAwareMergeThreshold: partBytes },
];

/** What is smaller is joined with others. Files that then need each other could not be loaded: less is joined until none do. */
const PART_BYTES = [
  40_000, 30_000, 27_000, 25_000, 22_000, 20_000, 17_000, 15_000, 12_000, 10_000, 8_000, 6_500, 5_000, 0,
];

/** Libraries that are loaded by name when first used, that are optional, or that need to be files of their own. */
const NOT_JOINED = [
  /^(gpt-tokenizer|undici|jose|diff|pg)(\/|$)/,
  /^(@lat\.md|@napi-rs|@clack)\//,
  /^(write-file-atomic|proper-lockfile)$/,
];

/**
 * Parts of Node are taken as objects: an import reads every name of theirs, and `node:http` has names that load all of fetch
 * (60 ms of a start).
 */
const builtins = {
  name: 'builtins',
  renderChunk: (code) => `${GLOBALS}\n${code.replaceAll(/^import (.+?) from "(node:[^"]+)";$/gm, asObject)}`,
};

/** As names of its own a file has them at once: as names of everybody they are looked up, and asked of Node, each time. */
const GLOBALS = 'const { Buffer, process, performance } = globalThis;';

function asObject(_, names, part) {
  const builtin = `globalThis.process.getBuiltinModule('${part}')`;
  const [, whole, members] = /^(?:\* as )?([\w$]+)?(?:, )?(\{.+\})?$/.exec(names);
  const lines = [
    ...(whole ? [`const ${whole} = ${builtin};`] : []),
    ...(members ? [`const ${members.replaceAll(' as ', ': ')} = ${builtin};`] : []),
  ];
  return lines.join(' ');
}

// What is up to date stays: processes that run may still load a part of it.
const made = modifiedMs(join(OUT, 'start.js'));
const sources = ['.tsbuildinfo/src', 'package-lock.json', 'scripts/bundle.js'];
if (sources.every((file) => modifiedMs(file) <= made)) process.exit();

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((entry) => [entry.split('/').at(-1), join('dist', `${entry}.js`)])),
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  external: NOT_JOINED,
  plugins: [builtins],
});
const output = await writeFiles();
writeFileSync(join(MAKING, 'LICENSES.txt'), licences(output.flatMap((chunk) => chunk.moduleIds ?? [])));
rmSync(OUT, { recursive: true, force: true });
renameSync(MAKING, OUT);

async function writeFiles() {
  for (const partBytes of PART_BYTES) {
    const { output: files } = await bundle.write({
      dir: MAKING,
      format: 'esm',
      entryFileNames: '[name].js',
      // The name of a part of a group lists every entry that needs it.
      chunkFileNames: ({ name }) => `${name.split('~')[0]}-[hash].js`,
      codeSplitting: { groups: groups(partBytes) },
    });
    if (inOrder(files)) return files;
    rmSync(MAKING, { recursive: true });
  }
  throw new Error('however little is joined, files of the bundle need each other');
}

/** Whether each file can be loaded after those that it needs. */
function inOrder(files) {
  const waiting = new Map(files.map(({ fileName, imports = [] }) => [fileName, imports]));
  const isLoaded = (fileName) => !waiting.has(fileName);
  for (let before = Infinity; waiting.size < before; ) {
    before = waiting.size;
    for (const [fileName, imports] of waiting) if (imports.every(isLoaded)) waiting.delete(fileName);
  }
  return waiting.size === 0;
}

function modifiedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The licence of each library whose code is in the files. */
function licences(modules) {
  const folders = new Set(modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []));
  return [...folders].sort().map(licence).join('\n');
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file && existsSync(join(folder, file)) ? readFileSync(resolve(folder, file), 'utf8') : '';
  return `${name} ${version} (${license})\n\n${text}`;
}
