import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs';
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
  person.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { notes: { command: 'node' } } }));
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
