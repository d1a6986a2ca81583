import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { htmlToMarkdown } from '../../src/context/html-to-markdown.ts';
import { buildFrom, inFolder, snapshot, writeFiles } from '../../src/store/context/testing/folders.ts';
import { verifyFolder } from '../../src/store/context/verify-cache.ts';
import { runContext, runProcess } from './run.ts';

const idsIn = (cache: string) => Object.keys(JSON.parse(readFileSync(join(cache, 'index.json'), 'utf8')));
const PAGE = '<title>Rates</title><h1>Rate limits</h1><script>var x = "<p>no</p>";</script><p>Ask &amp; wait.</p>';
const SOURCES = {
  'a.md': 'a',
  'b.mdx': '# B\n\nmdx',
  'C.MD': 'c',
  'd.markdown': 'd',
  'e.html': PAGE,
  'llms.txt': '# Site\n\n- [a](a.md)',
  'notes.txt': 'never',
};

test('[context:D1] sources beside .md are taken where a flag asks for them, and counted where none does', () =>
  inFolder(async (folder) => {
    const sources = writeFiles(join(folder, 'sources'), SOURCES);
    const build = (cache: string, ...flags: string[]) =>
      runContext('build', '--sources', sources, '--cache', join(folder, cache), ...flags);
    expect(await build('plain')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(
        /^built 1 documents, sha256:\w+; left out 2 markdown, 1 mdx, 1 html, 1 llms \(--also takes them\)\n$/,
      ),
    });
    expect(idsIn(join(folder, 'plain'))).toEqual(['a.md']);
    // The default is byte for byte what it was without the other files.
    expect(snapshot(join(folder, 'plain'))).toEqual(snapshot(await buildFrom(join(folder, 'alone'), { 'a.md': 'a' })));
    const all = ['markdown', 'mdx', 'html', 'llms'].flatMap((format) => ['--also', format]);
    expect((await build('all', ...all)).stderr).toMatch(/^built 6 documents, sha256:\w+\n$/);
    expect(idsIn(join(folder, 'all'))).toEqual(['a.md', 'b.mdx', 'c.md', 'd.markdown', 'e.html', 'llms.txt']);
    const found = await runContext(
      'search',
      '--cache',
      join(folder, 'all'),
      '--query',
      'rate',
      '--budget',
      '99',
      '--json',
    );
    expect(JSON.parse(found.stdout).chunks).toMatchObject([
      { id: 'e.html', headings: ['Rate limits'], text: '# Rate limits\n\nAsk & wait.\n' },
    ]);
    expect((await runContext('verify', '--cache', join(folder, 'all'))).exitCode).toBe(0);
    // Nothing changed, so an incremental build keeps the cache, pages of HTML included.
    const before = readFileSync(join(folder, 'all', 'manifest.json'), 'utf8');
    expect((await build('all', '--incremental', ...all)).exitCode).toBe(0);
    expect(readFileSync(join(folder, 'all', 'manifest.json'), 'utf8')).toBe(before);
  }));

test.each([
  ['<h2>A</h2><p>one<br>two</p><ul><li>x<li>y</ul><ol><li>p</ol>', '## A\n\none two\n\n- x\n- y\n1. p\n'],
  ['<pre>  a &lt; b\n\n  c</pre>', '```\n  a < b\n\n  c\n```\n'],
  ['<pre>```</pre>', '````\n```\n````\n'],
  ['<nav>menu <nav>inner</nav> more</nav><p>text</p>', 'text\n'],
  ['<p title="a > b">1 < 2 &#x263A; &#0; &unknown;</p>', '1 < 2 ☺ \ufffd &unknown;\n'],
  ['<title>T</title><p>x', '# T\n\nx\n'],
  ['<!-- <p>no</p> --><p>yes</p><!-- open', 'yes\n'],
  ['<p', ''],
  ['', ''],
])('%j becomes %j', (html, markdown) => {
  expect(htmlToMarkdown(html)).toBe(markdown);
});

test('[context:D4] a source that is not UTF-8 is named: it fails the build, or is skipped where a flag says so', () =>
  inFolder(async (folder) => {
    const sources = writeFiles(join(folder, 'sources'), { 'a.md': 'a', 'sub/bad.md': Uint8Array.of(0xff) });
    const build = (...flags: string[]) =>
      runContext('build', '--sources', sources, '--cache', join(folder, 'cache'), ...flags);
    expect(await build()).toMatchObject({
      exitCode: 6,
      stderr: expect.stringMatching(/^error: .*sub\/bad\.md is not valid UTF-8 \(io_error\)\nnext: .*--skip-invalid/),
    });
    const skipping = await build('--skip-invalid');
    expect([skipping.exitCode, skipping.stderr]).toEqual([
      0,
      expect.stringContaining('skipped 1 that are not UTF-8: sub/bad.md'),
    ]);
    expect(idsIn(join(folder, 'cache'))).toEqual(['a.md']);
  }));

test('[context:V1] verify finds strangers at the top level, and an index that is not that of the documents', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, { 'a.md': 'alpha' });
    const problems = async () => (await verifyFolder(cache, new AbortController().signal, () => {})).problems;
    expect(await problems()).toEqual([]);
    writeFileSync(join(cache, 'stranger.txt'), '');
    symlinkSync('/etc', join(cache, 'link'));
    expect(await problems()).toEqual(['link: it is no part of a cache', 'stranger.txt: it is no part of a cache']);
    const other = await buildFrom(join(folder, 'other'), { 'a.md': 'beta' });
    writeFileSync(join(cache, 'search.bin'), readFileSync(join(other, 'search.bin')));
    expect(await problems()).toContain('search.bin: it does not match the documents');
  }));

test.each([
  ['an absent cache', ['--cache', 'none', '--query', 'x', '--budget', '1'], 4, 'cache_missing'],
  ['an empty name', ['--cache', '', '--query', 'x', '--budget', '1'], 4, 'cache_missing'],
  ['a bad budget', ['--cache', 'none', '--query', 'x', '--budget', '-1'], 3, 'invalid_budget'],
  ['a missing flag', ['--query', 'x', '--budget', '1'], 1, 'USAGE'],
  ['an unknown flag', ['--nothing'], 1, 'USAGE'],
])('[context:X3] with --json %s is a problem as JSON on stdout', async (_, flags, exitCode, code) => {
  const ran = await runContext('resolve', ...flags, '--json');
  expect([ran.exitCode, ran.stderr, JSON.parse(ran.stdout)]).toEqual([exitCode, '', expect.objectContaining({ code })]);
});

test('[context:M10] no variable changes an answer: a time limit of the environment is ignored, and said to be', () =>
  inFolder(async (folder) => {
    await buildFrom(folder, { 'a.md': 'alpha' });
    const request = (id: number, method: string, params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const input = [
      request(1, 'initialize', {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      }),
      request(2, 'tools/call', { name: 'context.resolve', arguments: { cache: 'cache', query: 'alpha', budget: 9 } }),
      '',
    ].join('\n');
    const serve = (env: NodeJS.ProcessEnv) => runProcess(['serve', '--root', folder], input, { env });
    const plain = await serve({});
    const told = await serve({ CONTEXT_TOOL_TIMEOUT_SECS: '0.000001' });
    expect([told.stdout, told.exitCode]).toEqual([plain.stdout, 0]);
    expect(told.stderr).toContain('CONTEXT_TOOL_TIMEOUT_SECS is ignored');
    expect((await runProcess(['serve', '--root', folder, '--timeout-secs', 'soon'], '')).exitCode).toBe(1);
  }));

test('[context:M1] a line over 1 MiB on stdio gets an answer with its id', () =>
  inFolder(async (folder) => {
    const long = JSON.stringify({
      method: 'ping',
      params: { text: 'x'.repeat(1_100_000) },
      jsonrpc: '2.0',
      id: 'mine',
    });
    const { stdout } = await runProcess(['serve', '--root', folder], `${long}\n`);
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 'mine', error: { code: -32700, message: 'Parse error' } });
  }));
