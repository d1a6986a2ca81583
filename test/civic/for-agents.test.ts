import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { address, common, ITEMS, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';
import { createReadApp, sampleFiles, skillFile } from './read-app.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());

const statusOf = async (session: string) =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0];

describe('a submission that was rejected says why', () => {
  test('because the text changed before it merged', async () => {
    const [first, second] = [request('amendment'), request('amendment', { rationale: 'Another reason.' })];
    await room.post(ROUTES.amendment, first, address(1));
    await room.post(ROUTES.amendment, second, address(2));
    await room.wait(DAY);
    expect([await statusOf(first.session_id), await statusOf(second.session_id)]).toMatchObject([
      { status: 'merged' },
      { status: 'rejected', code: 'target_version_stale' },
    ]);
    expect(await statusOf(first.session_id)).not.toHaveProperty('code');
  });

  test('because others rejected it', async () => {
    const sent = request('amendment');
    const { submission_id } = (await room.post(ROUTES.amendment, sent, address(1))).body;
    const reject = (n: number) =>
      room.post(ROUTES.validation, vote('reject', submission_id, { target_type: 'amendment' }), address(n));
    await reject(2);
    await reject(3);
    await room.wait(DAY);
    await reject(4);
    expect(await statusOf(sent.session_id)).toMatchObject({ status: 'rejected', code: 'rejected_by_votes' });
  });

  test('because a maintainer did so', async () => {
    const sent = request('concern', { report: 'Ask for Jan Peeters at the desk.' });
    await room.post(ROUTES.concern, sent, address(1));
    const [item] = (await room.review('/api/review?class=ner_hold')).body.items;
    await room.review(`/api/review/${item.queue_id}`, { decision: 'reject' });
    expect(await statusOf(sent.session_id)).toMatchObject({ status: 'rejected', code: 'rejected_by_maintainer' });
  });
});

test('a concern says the version that a validation of it names', async () => {
  const { submission_id } = (await room.post(ROUTES.concern, request('concern'), address(1))).body;
  const [listed] = (await room.get('/api/concerns?target_type=skill&target_id=sample-move')).body.concerns;
  const confirm = vote('confirm', submission_id, { target_type: 'concern', target_version: listed.version });
  expect([listed.version, (await room.post(ROUTES.validation, confirm, address(2))).status]).toEqual(['1.0.0', 202]);
});

describe('pages of any origin', () => {
  const from = { origin: 'https://page.example.com', host: '127.0.0.1:7717' };

  test('read what is public, and write nothing', async () => {
    const served = createReadApp(sampleFiles());
    const paths = [
      '/agents/skills-graph.json',
      '/agents/manifest.json',
      '/api/skills/sample-base',
      '/skills/sample-base/canonical',
      '/api/paths',
      '/api/find-skill?query=move',
      '/llms.txt',
    ];
    const forms = ['/api/onboarding-form', '/api/onboarding-form/page'];
    const answers = await Promise.all(paths.map((path) => served.app.request(path, { headers: from })));
    expect(answers.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')])).toEqual(
      paths.map(() => [200, '*']),
    );
    expect(answers.map(({ headers }) => headers.get('link'))).toEqual(
      paths.map(() => '</civic/mcp>; rel="service"; title="MCP"'),
    );
    const shown = await Promise.all(forms.map((path) => served.app.request(path, { headers: from })));
    const target = 'target_type=skill&target_id=sample-move';
    shown.push(await room.app.request(`/api/tallies?${target}`, { headers: from }));
    expect(shown.map(({ status, headers }) => [status, headers.get('access-control-allow-origin')])).toEqual(
      shown.map(() => [200, '*']),
    );
    const asked = await room.app.request('/api/concerns?target_type=skill&target_id=sample-move', { headers: from });
    const sent = await room.app.request('/api/concerns', {
      method: 'POST',
      headers: { ...from, 'content-type': 'application/json' },
      body: JSON.stringify({ ...common(), ...ITEMS.concern }),
    });
    const queue = await room.app.request('/api/review', { headers: from });
    expect([
      asked.headers.get('access-control-allow-origin'),
      sent.headers.get('access-control-allow-origin'),
      queue.headers.get('access-control-allow-origin'),
    ]).toEqual(['*', null, null]);
  });
});

describe('a list of providers in a text', () => {
  const provider = (id: string, changes: object = {}) => ({
    id,
    name: `Name of ${id}`,
    category: 'translation',
    api_spec_url: `https://${id}.example.org/openapi.json`,
    languages: [],
    areas: [],
    licence: { valid_until: '2030-01-01' },
    eligible: true,
    ...changes,
  });
  const body = 'Choose one:\n\n<Providers category="translation"/>\n\n`<Providers category="translation"/>`\n';
  const files = { ...sampleFiles(), ...skillFile('listed', 'alpha', '', body) };
  const served = (providers: object[]) =>
    createReadApp(files, {
      providers: {
        directory: () => ({ categories: [{ id: 'translation', title: 'Translation' }], providers }) as never,
        isRemoved: () => false,
      },
    });
  const textOf = async (app: ReturnType<typeof served>) =>
    (await (await app.get('/skills/listed/canonical')).text()).split('Choose one:')[1];

  test('holds the eligible ones in the order of the day, and the tag in code stays as it is', async () => {
    const app = served([provider('aa'), provider('bb'), provider('cc', { eligible: false })]);
    const { providers } = (await (await app.get('/api/providers?category=translation')).json()) as {
      providers: { name: string; api_spec_url: string }[];
    };
    const lines = providers.map(({ name, api_spec_url }) => `- ${name}: ${api_spec_url}\n`).join('');
    expect([providers.length, await textOf(app)]).toEqual([
      2,
      `\n\n<Providers category="translation">\n${lines}</Providers>\n\n\`<Providers category="translation"/>\`\n`,
    ]);
    const json = (await (await app.get('/api/skills/listed')).json()) as { body: string };
    expect(json.body.endsWith((await textOf(app)) as string)).toBe(true);
  });

  test('is empty below two', async () => {
    expect(await textOf(served([provider('aa')]))).toContain('<Providers category="translation"></Providers>');
  });
});
