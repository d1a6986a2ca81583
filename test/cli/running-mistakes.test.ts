import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool } from '../support/call-tool.ts';
import { root } from '../support/repository.ts';
import { createHome, startBindery, until } from '../support/running-bindery.ts';
import { Transcript, withoutColour } from '../support/transcript.ts';

/** A real server, started as people start it, but without a network. */
const MEMORY = JSON.stringify({
  mcp: {
    servers: {
      memory: {
        transport: 'stdio',
        command: process.execPath,
        args: [join(root, 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js')],
      },
    },
  },
  gateway: { approval: { wait_ms: 1 } },
});

const allowing = (tools: readonly string[], operations: object = {}) =>
  JSON.stringify({ allowlist: { servers: ['memory'], tools: { memory: tools }, operations } }, null, 2);

/** Set-ups with something wrong, and what the terminal of `bindery up` says of it. */
const SET_UPS: Readonly<Record<string, (person: Transcript) => Promise<unknown>>> = {
  'broken-entries-at-up': async (person) => {
    person.write(
      '.bindery/config.json',
      '{"mcp":{"servers":{"docs":{"transport":"http"},"x y":{"transport":"stdio"}}}}',
    );
    person.write('project_mcp.json', '{\n  "servers": "all"\n}\n');
    const { screen, stop } = await person.serve();
    person.write('.bindery/config.json', '{"mcp":{"servers":{"docs":{"transport":"htp"}}}}');
    await until('the change is said', () => screen.text().includes('transport: must'));
    await stop();
  },
  'policy-names-an-unknown-tool': async (person) => {
    person.write('.bindery/config.json', MEMORY);
    person.write('project_mcp.json', allowing(['search_node', 'read_graph']));
    const { url, stop } = await person.serve();
    await untilTools(url);
    await person.type('policy', 'lint');
    await stop();
  },
  'approval-that-waits': async (person) => {
    person.write('.bindery/config.json', MEMORY);
    person.write('project_mcp.json', allowing(['read_graph'], { read_graph: { approval_required: true } }));
    const { url, screen, stop } = await person.serve();
    await untilTools(url);
    const { result } = await callTool(url, 'memory__read_graph', {});
    person.add(['# what the client is told'], `${result.content[0].text}\n`, 0);
    await until('the question is shown', () => screen.text().includes('Approval needed'));
    const [id] = /apr_[0-9a-f]{26}/.exec(screen.text()) as RegExpExecArray;
    await person.type('approvals', 'approve', id);
    await until('the answer is shown', () => screen.text().includes('approved:'));
    await stop();
  },
  'sign-in-link-used-twice': async (person) => {
    const { screen, stop } = await person.serve();
    const [link = ''] = /http:\S+sign_in=[\w-]+/.exec(screen.text()) ?? [];
    const statuses = [];
    for (const accept of ['text/html', 'text/html', 'application/json']) {
      const response = await fetch(link, { headers: { accept } });
      const text = (await response.text()).replaceAll(/<style>[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, '');
      statuses.push(`${response.status} ${response.headers.get('content-type')} ${/<h1>(.*)<\/h1>/.exec(text)?.[1]}`);
    }
    person.add(['# the link three times'], `${statuses.join('\n')}\n`, 0);
    await person.type('console', '--no-open');
    await stop();
  },
  'token-in-snippets': async (person) => {
    const { stop } = await person.serve('--token', 'secret-of-mine');
    await stop();
  },
};

/** Waits until the gateway has seen the tools. */
async function untilTools(url: string): Promise<void> {
  await until('the tools are known', async () => {
    const { items } = (await (await fetch(`${url}/v1/tools`)).json()) as { items: readonly unknown[] };
    return items.length > 0;
  });
}

test.each(Object.keys(SET_UPS))('%s is answered as it was', async (name) => {
  const texts: string[] = [];
  for (const colour of [false, true]) {
    const person = new Transcript(colour);
    try {
      await SET_UPS[name]?.(person);
      texts.push(person.text);
    } finally {
      rmSync(person.home, { recursive: true, force: true });
    }
  }
  const [plain, coloured] = texts as [string, string];
  await expect(plain).toMatchFileSnapshot(`golden/${name}.txt`);
  expect(withoutColour(coloured)).toBe(plain);
  await expect(coloured).toMatchFileSnapshot(`golden/${name}.colour.txt`);
});

test('up says at its start that the keys for credentials are damaged, and that others can read the token', async () => {
  const home = await createHome({});
  const tokenFile = join(home.cwd, 'token');
  writeFileSync(tokenFile, 'secret-of-mine');
  chmodSync(tokenFile, 0o644);
  chmodSync(home.cwd, 0o755);
  const keys = join(home.dataDir, 'credentials.key');
  writeFileSync(keys, 'damaged', { mode: 0o600 });
  const bindery = await startBindery(home, '--token-file', tokenFile);
  try {
    const warnings = bindery
      .stderr()
      .split('\n')
      .flatMap((line) => (line.includes('"warn"') ? [JSON.parse(line).message] : []));
    expect(warnings).toEqual([
      `others can read the token file ${tokenFile}: run \`chmod 600 ${tokenFile}\``,
      expect.stringMatching(`^${keys} cannot be used: key 1 is damaged\\. Put back the file of a backup`),
    ]);
  } finally {
    await bindery.stop();
    await home.remove();
  }
});
