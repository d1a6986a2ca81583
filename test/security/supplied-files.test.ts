import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BIND_LIMITS } from '../../src/bind/limits.ts';
import { CORPUS_LIMITS } from '../../src/civic/config.ts';
import { readConfigSection } from '../../src/cli/rooms/config-section.ts';
import { CONTEXT_LIMITS } from '../../src/context/limits.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { GATEWAY_LIMITS } from '../../src/gateway/limits.ts';
import { ConfigStore, projectConfigFile } from '../../src/host/config/config-store.ts';
import { tokenStoreSetting } from '../../src/host/config/token-store-setting.ts';
import { FolderZones } from '../../src/store/bind/folder-zones.ts';
import { createCacheBuilder } from '../../src/store/context/build-cache.ts';
import { CorpusFolder } from '../../src/store/corpus/corpus-folder.ts';
import { ProviderDirectoryFile } from '../../src/store/corpus/provider-file.ts';
import { FileBackups } from '../../src/store/import/file-backups.ts';
import { readPolicy } from '../../src/store/policy/read-policy.ts';
import { openCommandHome } from '../support/command-home.ts';
import { root, sourceFiles } from '../support/repository.ts';

/** Something that reads a file which a project or a stranger may have put there. */
interface Reader {
  /** The file below the folder. */
  readonly file: string;
  readonly bytesMax: number;
  /** A person names the file themselves: their links are followed. */
  readonly isNamed?: true;
  /** What it says of a file that it does not take; the code of an error, unless it leaves such files out. */
  readonly refused: RegExp;
  /** Kinds that it leaves out as if they were not there. */
  readonly leavesOut?: readonly string[];
  /** Everything that it says or gives. */
  read(folder: string, file: string): unknown;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: Date.now };
const never = new AbortController().signal;
const UNREADABLE = /^(it is|it leads|the file cannot be read)/;

async function buildFrom(folder: string, gitignore: boolean): Promise<string> {
  const cache = join(dirname(folder), 'cache');
  const request = { sources: folder, cache, force: false, gitignore } as const;
  await createCacheBuilder(clock).build(request as never, never, () => {});
  return readFileSync(join(cache, 'manifest.json'), 'utf8');
}

const READERS: Readonly<Record<string, Reader>> = {
  'the config of a project': {
    file: '.bindery/config.json',
    bytesMax: LIMITS.configFileBytesMax,
    refused: /^the project config file is not used: \/\S+: it/,
    read: async (folder) => {
      const global = join(dirname(folder), 'none.json');
      const loaded = await new ConfigStore({ global, project: projectConfigFile(folder) }).load();
      return loaded.errors[0] ?? loaded.layers.map(({ text }) => text);
    },
  },
  'the config of a person': {
    file: 'config.json',
    bytesMax: LIMITS.configFileBytesMax,
    isNamed: true,
    refused: /^the global config file is not used: \/\S+: it/,
    read: async (folder, file) => {
      const loaded = await new ConfigStore({ global: file, project: join(folder, 'none') }).load();
      return loaded.errors[0] ?? loaded.layers.map(({ text }) => text);
    },
  },
  'a section of the config': {
    file: 'config.json',
    bytesMax: LIMITS.configFileBytesMax,
    isNamed: true,
    refused: /^CONFIG_INVALID/,
    read: (_folder, file) => readConfigSection(file, 'civic', z.looseObject({})),
  },
  'the setting of the token store': {
    file: 'config.json',
    bytesMax: LIMITS.configFileBytesMax,
    isNamed: true,
    refused: /^FILE_REFUSED/,
    read: (_folder, file) => tokenStoreSetting(file),
  },
  'the policy of a project': {
    file: 'project_mcp.json',
    bytesMax: GATEWAY_LIMITS.policyFileBytesMax,
    refused: UNREADABLE,
    read: (folder, file) => policyOf(file, folder),
  },
  'a policy that a person names': {
    file: 'policy.json',
    bytesMax: GATEWAY_LIMITS.policyFileBytesMax,
    isNamed: true,
    refused: UNREADABLE,
    read: (_folder, file) => policyOf(file),
  },
  'the config of a client': {
    file: '.mcp.json',
    bytesMax: LIMITS.importFileBytesMax,
    isNamed: true,
    refused: /^IMPORT_UNREADABLE/,
    read: async (_folder, file) => {
      const answer = await openCommandHome().json('import', '--from', 'file', file, '--dry-run');
      return answer.code ?? answer;
    },
  },
  'a file that is backed up': {
    file: 'client.json',
    bytesMax: LIMITS.importFileBytesMax,
    isNamed: true,
    refused: /^FILE_REFUSED/,
    read: (folder, file) =>
      new FileBackups(join(dirname(folder), 'backups'), clock).create(
        [{ path: file, after: Buffer.from('x') }],
        'import',
      ),
  },
  'a document of a command': {
    file: 'server.json',
    bytesMax: LIMITS.commandFileBytesMax,
    isNamed: true,
    refused: /^"[^"]*server.json" cannot be read/,
    read: async (_folder, file) => {
      const answer = await openCommandHome().json('bind', 'lint', '--zone', file);
      return answer.detail ?? answer;
    },
  },
  'a zone': {
    file: 'sentinel.json',
    bytesMax: BIND_LIMITS.zoneFileBytesMax,
    refused: /^unreadable/,
    read: async (folder) => {
      const zones = new FolderZones(folder, quiet);
      const zone = zones.table.get('sentinel');
      await zones.close();
      return zone?.text === '' ? 'unreadable' : zone?.text;
    },
  },
  'a file of a corpus': {
    file: 'paths/x.yaml',
    bytesMax: CORPUS_LIMITS.fileBytesMax,
    leavesOut: ['pipe', 'device', 'outside'],
    refused: /file_too_large/,
    read: async (folder) => JSON.stringify(await new CorpusFolder(folder).read()),
  },
  'the provider directory': {
    file: 'providers.yaml',
    bytesMax: 4 * CORPUS_LIMITS.providersCharsMax,
    isNamed: true,
    refused: /^providers_invalid/,
    read: (_folder, file) => new ProviderDirectoryFile(file).refresh({ nowMs: 0, looksLikeInjection: () => false }),
  },
  'a source of a context': {
    file: 'a.md',
    bytesMax: CONTEXT_LIMITS.sourceBytesMax,
    leavesOut: ['pipe', 'device', 'outside'],
    refused: /^FILE_REFUSED/,
    read: (folder) => buildFrom(folder, false),
  },
  'a .gitignore': {
    file: '.gitignore',
    bytesMax: CONTEXT_LIMITS.gitignoreBytesMax,
    refused: /^FILE_REFUSED/,
    read: (folder) => buildFrom(folder, true),
  },
};

function policyOf(file: string, within?: string): unknown {
  const read = readPolicy(file, { within });
  return read?.text ?? read?.policy.findings.map(({ message }) => message).join();
}

/** What stands in the place of the file. */
const KINDS: Readonly<Record<string, (path: string, reader: Reader) => void>> = {
  pipe: (path) => void execFileSync('mkfifo', [path]),
  device: (path) => symlinkSync('/dev/zero', path),
  oversized: (path, { bytesMax }) => {
    writeFileSync(path, '');
    truncateSync(path, bytesMax + 1);
  },
  outside: (path) => {
    const secret = join(mkdtempSync(join(tmpdir(), 'bindery-outside-')), 'secret');
    writeFileSync(secret, '{"secret":"hunter22"}');
    symlinkSync(secret, path);
  },
};

describe.each(Object.entries(READERS))('%s', (_name, reader) => {
  const kinds = Object.keys(KINDS).filter((kind) => kind !== 'outside' || !reader.isNamed);
  test.each(kinds)('is not read where it is a file of the kind: %s', async (kind) => {
    const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'bindery-supplied-'))), 'folder');
    const file = join(folder, reader.file);
    mkdirSync(dirname(file), { recursive: true });
    KINDS[kind]?.(file, reader);
    const said = await (async () => reader.read(folder, file))().then(
      (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
      (thrown: { code?: string; detail?: string }) => `${thrown.code}: ${thrown.detail}`,
    );
    expect(said).not.toContain('hunter22');
    if (!reader.leavesOut?.includes(kind)) expect(said).toMatch(reader.refused);
  });
});

/** Files that read others without the bounded function, and why they may. */
const OWN = 'a file that Bindery wrote itself, in its own data or config directory';
const PACKAGE = 'a part of the installed package';
const NAMED = 'a person names it, on the command line or in their own config';
const WRITES = 'it is opened to write or to flush';
const ALLOWED: Readonly<Record<string, string>> = {
  'src/files/read-supplied-file.ts': 'the bounded function itself',
  'src/libraries/late-library.ts': PACKAGE,
  'src/host/client-info.ts': PACKAGE,
  'src/host/config/file-lock.ts': WRITES,
  'src/host/config/lock-owner.ts': 'it reads what the kernel says of processes',
  'src/runtime/version.ts': PACKAGE,
  'src/runtime/http/console-files.ts': PACKAGE,
  'src/runtime/docs/docs-pages.ts': PACKAGE,
  'src/runtime/docs/docs-routes.ts': PACKAGE,
  'src/runtime/well-known-servers.ts': PACKAGE,
  'src/cli/completion-command.ts': OWN,
  'src/cli/console-command.ts': OWN,
  'src/cli/init/start-gateway.ts': OWN,
  'src/store/civic/detectors/onnx-detector.ts': NAMED,
  'src/store/civic/find-prints.ts': 'plain files of the data directory and of the corpus that a person names',
  'src/cli/read-json-file.ts': 'standard input; files go through the bounded function',
  'src/runtime/audit/verify-audit.ts': NAMED,
  'src/runtime/config/private-file.ts': OWN,
  'src/cli/commands/command-deps.ts': OWN,
  'src/cli/rooms/civic.ts': OWN,
  'src/cli/rooms/host/gateway-client.ts': OWN,
  'src/cli/running-gateway.ts': OWN,
  'src/cli/stdio.ts': OWN,
  'src/host/oauth/token-store.ts': OWN,
  'src/files/replace-file.ts': WRITES,
  'src/store/audit/audit-writer.ts': WRITES,
  'src/store/audit/heads-file.ts': NAMED,
  'src/store/backup/data-backup.ts': OWN,
  'src/store/bind/folder-log.ts': 'the end of its own log, without waiting for a pipe',
  'src/store/bind/signing-key.ts': NAMED,
  'src/store/civic/pepper.ts': OWN,
  'src/store/context/build-cache.ts': WRITES,
  'src/store/context/document-writer.ts': WRITES,
  'src/store/context/ingest-sources.ts': 'plain files without links or pipes; others go through the bounded function',
  'src/store/context/read-file.ts': 'documents of a cache, as plain files without links or pipes',
  'src/store/context/search-file.ts': 'the search index of a cache, as a plain file without links or pipes',
  'src/store/context/swap-folder.ts': WRITES,
  'src/store/corpus/move-head.ts': 'plain files of the corpus that a person names, compared with what git has of them',
  'src/store/corpus/version-times.ts': OWN,
  'src/store/import/file-backups.ts': OWN,
};

test('whatever else reads a file is named here with the reason why it may', () => {
  const opens = /\b(?:readFile|readFileSync|createReadStream|openSync|openAsBlob)\b|\bopen\b(?=[^'"]*from 'node:fs)/;
  const readers = sourceFiles('src')
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .filter((file) => {
      const imports =
        readFileSync(join(root, file), 'utf8').match(/^import[^;]*from 'node:fs(?:\/promises)?';/gm) ?? [];
      return imports.some((text) => opens.test(text) || /import (?:\* as )?\w+ from/.test(text));
    });
  expect(readers.sort()).toEqual(Object.keys(ALLOWED).sort());
});
