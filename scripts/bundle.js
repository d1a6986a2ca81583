// Bundles the output of tsc, and its libraries, into few files: finding and reading modules takes most of the start time.
// Lazily loaded modules stay in separate files; dist/ stays as it is, for programs that import a part of it.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { bundleParts } from './bundle-parts.ts';

const OUT = join('dist', 'bundle');
const MAKING = `${OUT}.${process.pid}`;

/** The commands, and the modules that run in their own threads and processes; they must be beside the file that starts them. */
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
 * The layers of files, the lowest first: threads and processes, modules of every command, the context command, the gateway. Parts
 * below `partBytes` are merged. A thread loads hardly anything that it does not use, because there are several threads; for a command the
 * number of files matters more.
 */
const LAYERS = [
  { name: 'thread', roots: ENTRIES.filter((entry) => /-(worker|process)$/.test(entry)), partBytes: 0 },
  { name: 'program', roots: ['cli/program'], partBytes: 100_000 },
  { name: 'context', roots: ['cli/context-main'], partBytes: 100_000 },
  { name: 'up', roots: ['cli/up'], partBytes: 140_000 },
];

/** Libraries that are loaded by name on first use, that are optional, or that must be separate files. */
const NOT_JOINED = [
  /^(gpt-tokenizer|undici|jose|diff|pg)(\/|$)/,
  /^(@lat\.md|@napi-rs|@clack)\//,
  /^(write-file-atomic|proper-lockfile)$/,
];

/**
 * Node modules are read as objects: an import reads every export, and some exports of `node:http` load all of fetch
 * (60 ms of a start).
 */
const builtins = {
  name: 'builtins',
  renderChunk: (code) => `${GLOBALS}\n${code.replaceAll(/^import (.+?) from "(node:[^"]+)";$/gm, asObject)}`,
};

/** Local constants are fast; each access to these globals is a lookup and a call of a getter in Node. */
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

let partOf = new Map();
const compiled = (module) => resolve('dist', `${module}.js`);

/** Decides which file of the bundle each module goes to. */
const divide = {
  name: 'divide',
  buildEnd() {
    const modules = [...this.getModuleIds()].map((id) => this.getModuleInfo(id)).filter(({ code }) => code !== null);
    const joined = new Set(modules.map(({ id }) => id));
    const graph = new Map(
      modules.map(({ id, code, importedIds, dynamicallyImportedIds }) => [
        id,
        {
          bytes: code.length,
          imports: importedIds.filter((imported) => joined.has(imported)),
          lazyImports: dynamicallyImportedIds.filter((imported) => joined.has(imported)),
        },
      ]),
    );
    const layers = LAYERS.map((layer) => ({ ...layer, roots: layer.roots.map(compiled) }));
    partOf = bundleParts(graph, ENTRIES.map(compiled), layers);
  },
};

// Files that are up to date stay: running processes may still load a part of them.
const made = modifiedMs(join(OUT, 'start.js'));
const sources = ['.tsbuildinfo/src', 'package-lock.json', 'scripts/bundle.js', 'scripts/bundle-parts.ts'];
if (sources.every((file) => modifiedMs(file) <= made)) process.exit();

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((entry) => [entry.split('/').at(-1), join('dist', `${entry}.js`)])),
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  resolve: { mainFields: ['module', 'main'] },
  external: NOT_JOINED,
  plugins: [builtins, divide],
});
const output = await writeFiles();
writeFileSync(join(MAKING, 'LICENSES.txt'), licences(output.flatMap((chunk) => chunk.moduleIds ?? [])));
rmSync(OUT, { recursive: true, force: true });
renameSync(MAKING, OUT);

async function writeFiles() {
  const { output: files } = await bundle.write({
    dir: MAKING,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [{ debugName: 'layers', name: (id) => partOf.get(id) ?? null, includeDependenciesRecursively: false }],
    },
  });
  return files;
}

function modifiedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The licence of each bundled library. */
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
