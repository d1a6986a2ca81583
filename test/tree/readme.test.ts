import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../src/cli/main.ts';
import { root } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-readme-'));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const stop = new AbortController();
let base = '';
let served: Promise<number>;

/** The arguments of `node bin/<name>.js …` in a script, with paths of the repository and what it writes in the folder. */
function argumentsOf(script: string): string[] {
  const [, bin, ...words] = script.split(' ') as [string, string, ...string[]];
  const argv = words.map((word) =>
    word.startsWith('.sample/') ? join(folder, word) : word.startsWith('samples/') ? join(root, word) : word,
  );
  return bin === 'bin/context.js' ? ['context', ...argv] : argv;
}

function into(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

beforeAll(async () => {
  process.env.BINDERY_CONFIG_PATH = join(folder, 'config.json');
  process.env.BINDERY_DATA_DIR = join(folder, 'data');
  const silent = { stdout: into(() => {}), stderr: into(() => {}) };
  expect(await run(argumentsOf(scripts.prestart), silent, stop.signal)).toBe(0);
  base = await new Promise<string>((resolve) => {
    const stdout = into((text) => resolve(JSON.parse(text).url));
    const argv = [...argumentsOf(scripts.start), '--port', '0', '--json'];
    served = run(argv, { stdout, stderr: into(() => {}) }, stop.signal);
  });
});

afterAll(async () => {
  stop.abort();
  await served;
  rmSync(folder, { recursive: true, force: true });
});

test('what the README tells to try after npm start answers with documents', async () => {
  const [, path, body] = /curl -s http:\/\/127\.0\.0\.1:7717(\S+)[\s\S]*?-d '([^']+)'/.exec(readme) as RegExpExecArray;
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}${path}`, { method: 'POST', headers, body: body as string });
  const { documents, selection } = (await response.json()) as { documents: unknown[]; selection: object };
  const { query, budget } = JSON.parse(body as string);
  expect([response.status, documents.length > 0, selection]).toMatchObject([200, true, { query, budget }]);
});

test('the page at / says what runs, and the client of the README finds its endpoint', async () => {
  const page = await (await fetch(base)).text();
  expect(['context', 'bind', 'civic'].filter((room) => !page.includes(room))).toEqual([]);
  const endpoint = /"url": "http:\/\/127\.0\.0\.1:7717(\/\S+)"/.exec(readme)?.[1];
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const answer = await fetch(`${base}${endpoint}`, { method: 'POST', headers, body: JSON.stringify(initialize) });
  expect([answer.status, (await answer.text()).includes('"protocolVersion":"2025-11-25"')]).toEqual([200, true]);
});
