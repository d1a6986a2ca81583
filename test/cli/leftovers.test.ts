import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Transcript } from '../support/transcript.ts';

const REPLACE_FILE = new URL('../../src/files/replace-file.ts', import.meta.url).href;

let person: Transcript;
let folder: string;
beforeEach(() => {
  person = new Transcript(false);
  folder = join(person.home, '.cursor');
});
afterEach(() => rmSync(person.home, { recursive: true, force: true }));

const temporaryFiles = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

/** Kills writers of the client's file until one leaves its temporary file behind. */
async function killWriters(): Promise<void> {
  const code = `
    const { replaceFile } = await import(${JSON.stringify(REPLACE_FILE)});
    const { readFileSync } = await import('node:fs');
    const file = ${JSON.stringify(join(folder, 'mcp.json'))};
    const text = readFileSync(file, 'utf8');
    console.log('writing');
    for (;;) await replaceFile(file, text, 0o644);`;
  while (temporaryFiles().length === 0) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    while (temporaryFiles().length === 0) await new Promise((done) => setImmediate(done));
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

test('connect, import and doctor --fix remove what a killed command left beside a client’s file', async () => {
  person.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { notes: { command: 'true' } } }));
  await person.type('connect', 'cursor');
  for (const command of [
    ['connect', 'cursor'],
    ['import', '--from', 'cursor', '--yes'],
    ['doctor', '--fix'],
  ]) {
    await killWriters();
    await person.type(...command);
    expect([command[0], readdirSync(folder)]).toEqual([command[0], ['mcp.json']]);
  }
});

test('doctor names what is left; the temporary file of a process that lives, and files of others, stay', async () => {
  mkdirSync(folder);
  const gone = person.write('.cursor/.mcp.json.bindery-x.tmp', '');
  utimesSync(gone, 1, 1);
  person.write(`.cursor/.mcp.json.bindery-${process.pid}-x.tmp`, '');
  const others = person.write('.cursor/.mcp.json.other.tmp', '');
  utimesSync(others, 1, 1);
  await person.type('doctor', '--cwd', person.home);
  expect(person.text.replaceAll(/\s+/g, ' ')).toContain('.mcp.json.bindery-x.tmp is left of a command that was killed');
  await person.type('doctor', '--fix', '--cwd', person.home);
  expect(temporaryFiles()).toEqual([`.mcp.json.bindery-${process.pid}-x.tmp`, '.mcp.json.other.tmp']);
});

const FILE_BACKUPS = new URL('../../src/store/import/file-backups.ts', import.meta.url).href;
const backups = () => join(person.home, '.bindery', 'backups');
const halfMade = () => (existsSync(backups()) ? readdirSync(backups()) : []).filter((name) => name.endsWith('.tmp'));

/** Kills a command while it backs up the client's file; gives what it left. */
async function killWhileBackingUp(): Promise<string[]> {
  const code = `
    const { FileBackups } = await import(${JSON.stringify(FILE_BACKUPS)});
    const change = { path: ${JSON.stringify(join(folder, 'mcp.json'))}, after: Buffer.from('{}') };
    // The path of the second file is asked for once the first is copied: the process ends there.
    const last = { get path() { process.kill(process.pid, 'SIGKILL'); }, after: undefined };
    await new FileBackups(${JSON.stringify(backups())}, { now: Date.now }).create([change, last], 'import');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  await once(child, 'close');
  return halfMade();
}

test('doctor names the copies that a killed command left in backups, --fix and the next backup remove them, and restore has all that it needs', async () => {
  const file = person.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { notes: { command: 'true' } } }));
  const before = readFileSync(file, 'utf8');
  await person.type('import', '--from', 'cursor', '--replace', '--yes');
  const [kept] = readdirSync(backups());

  const [left] = await killWhileBackingUp();
  expect(readdirSync(join(backups(), left ?? ''))).toEqual(['0.bytes']);
  await person.type('doctor', '--cwd', person.home);
  expect(person.text.replaceAll(/\s+/g, '')).toContain(`${left}isleftofacommandthatwaskilled`);
  await person.type('doctor', '--fix', '--cwd', person.home);
  expect(readdirSync(backups())).toEqual([kept]);

  await killWhileBackingUp();
  await person.type('connect', 'claude-code');
  expect(halfMade()).toEqual([]);

  await person.type('restore');
  expect([readFileSync(file, 'utf8'), existsSync(join(backups(), kept ?? ''))]).toEqual([before, true]);
});

test('doctor --fix removes what an older version left of backups; a backup that is made now, and files of the person, stay', async () => {
  const old = person.write('.bindery/backups/20261101T101010.000Z/0.bytes', 'secret');
  utimesSync(join(old, '..'), 1, 1);
  person.write('.bindery/backups/20261102T101010.000Z/mine.txt', '');
  utimesSync(join(backups(), '20261102T101010.000Z'), 1, 1);
  const uuid = '00000000-0000-4000-8000-000000000000';
  const made = `.20261103T101010.000Z.bindery-${process.pid}-${uuid}.tmp`;
  person.write(`.bindery/backups/${made}/0.bytes`, '');
  person.write('.bindery/backups/policy/x.json', '');
  await person.type('doctor', '--fix', '--cwd', person.home);
  expect(readdirSync(backups()).sort()).toEqual([made, '20261102T101010.000Z', 'policy']);
});

test('doctor names an import that was killed between two files, until restore undoes it', async () => {
  const client = (name: string) => JSON.stringify({ mcpServers: { [name]: { command: 'true' } } });
  const files = [person.write('.cursor/mcp.json', client('one')), person.write('.claude.json', client('two'))];
  const before = files.map((file) => readFileSync(file, 'utf8'));
  const finding = async () => {
    const at = person.text.length;
    await person.type('doctor', '--cwd', person.home);
    return person.text.slice(at).replaceAll(/\s+/g, ' ').includes('an import was interrupted: only some of its files');
  };
  const interrupt = async () => {
    const change = files.map((path) => ({ path, after: path }));
    const code = `
      const { FileBackups } = await import(${JSON.stringify(FILE_BACKUPS)});
      const { writeFileSync } = await import('node:fs');
      const changes = ${JSON.stringify(change)}.map(({ path, after }) => ({ path, after: Buffer.from(after) }));
      await new FileBackups(${JSON.stringify(backups())}, { now: Date.now }).create(changes, 'import');
      writeFileSync(changes[0].path, changes[0].after);
      process.kill(process.pid, 'SIGKILL');`;
    await once(spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' }), 'close');
  };
  await interrupt();
  expect(await finding()).toBe(true);
  await person.type('restore');
  expect([await finding(), ...files.map((file) => readFileSync(file, 'utf8'))]).toEqual([false, ...before]);
  await person.type('import', '--yes', '--replace');
  expect(await finding()).toBe(false);
});
