import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

/** What stands in every attack: nothing that leaves or stays may have it. */
const MARK = 'ZQXMARK';

let scratch: string;
let room: WriteRoom;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-bad-'));
  room = await createWriteRoom({ dataDir: join(scratch, 'data') });
});
afterAll(async () => {
  await room.close();
  rmSync(scratch, { recursive: true });
});

const concern = (report: string) => request('concern', { report: `${MARK} ${report}` });
const draft = (body: string, frontmatter: object = {}) => {
  const matter = { title: 'Sample new', summary: 'A new sample text.', category: 'sample-commune', ...frontmatter };
  return request('draft', { content: { frontmatter: matter, body: `# ${MARK}\n\n${body}\n` } });
};
const entry = (text: string) =>
  request('draft', {
    target_type: 'path',
    proposed_id: 'sample-bad',
    content: { entry: { title: `${MARK} ${text}`, purpose: 'submission', themes: ['x'], sources: [] } },
  });
const deep = (levels: number): unknown => (levels === 0 ? MARK : { a: deep(levels - 1) });
const diff = (line: string) =>
  request('amendment', {
    content: {
      amendment_subtype: 'body_diff',
      body_diff: { diff: `@@ -16,2 +16,2 @@\n Bring the card.\n-Bring the form.\n+${MARK} ${line}\n` },
    },
  });

const ATTACKS: readonly (readonly [string, string, unknown, number, string])[] = [
  ['a body of 1 MB', ROUTES.concern, concern('x'.repeat(1_000_000)), 413, 'payload_too_large'],
  ['1 MB that is no JSON', ROUTES.concern, MARK.repeat(150_000), 413, 'payload_too_large'],
  ['a body that is no JSON', ROUTES.concern, `{"report": "${MARK}`, 400, 'malformed_json'],
  ['a report beyond its length', ROUTES.concern, concern('x'.repeat(2000)), 422, 'schema_invalid'],
  ['forty levels', ROUTES.draft, draft('Go.', { applies_to: deep(40) }), 422, 'schema_invalid'],
  ['front matter deeper than YAML may be', ROUTES.draft, draft('Go.', { applies_to: deep(15) }), 422, 'schema_invalid'],
  [
    'a prototype',
    ROUTES.concern,
    JSON.stringify(concern('x')).replace('{', `{"__proto__":{"a":"${MARK}"},`),
    422,
    'schema_invalid',
  ],
  [
    'a banned member deep inside',
    ROUTES.draft,
    draft('Go.', { applies_to: { user_email: MARK } }),
    422,
    'banned_field',
  ],
  ['an expression of MDX', ROUTES.draft, draft('Pay {process.env.SECRET}.'), 422, 'scrub_rejected'],
  ['an import', ROUTES.draft, draft('import fs from "node:fs"'), 422, 'scrub_rejected'],
  ['an unknown component', ROUTES.draft, draft('<Evil run="1"/>'), 422, 'scrub_rejected'],
  ['a script in Markdown', ROUTES.draft, draft('<script>alert(1)</script>'), 422, 'scrub_rejected'],
  ['an expression in a diff', ROUTES.amendment, diff('Pay {1 + 1}.'), 422, 'scrub_rejected'],
  ['a script in a report', ROUTES.concern, concern('<script src=//x></script>'), 422, 'scrub_rejected'],
  ['an event handler', ROUTES.concern, concern('<img src=x onerror=alert(1)>'), 422, 'scrub_rejected'],
  ['a link that runs', ROUTES.concern, concern('[x](java\tscript:alert(1))'), 422, 'scrub_rejected'],
  [
    'a number parted by zero-width characters',
    ROUTES.concern,
    concern('85.0\u200b7.30-0\u200d33.28'),
    422,
    'scrub_rejected',
  ],
  ['a number in full-width digits', ROUTES.concern, concern('８５.０７.３０-０３３.２８'), 422, 'scrub_rejected'],
  [
    'a number behind bidi controls',
    ROUTES.concern,
    concern('\u202a85.07.30\u202c-\u2066033.28\u2069'),
    422,
    'scrub_rejected',
  ],
  [
    'an e-mail in a key',
    ROUTES.draft,
    draft('Go.', { applies_to: { [`${MARK.toLowerCase()}@example.org`]: ['x'] } }),
    422,
    'scrub_rejected',
  ],
  ['a digit run in a path entry', ROUTES.draft, entry('12345678'), 422, 'scrub_rejected'],
  ['a secret in a URL', ROUTES.concern, concern('https://a.example.org/?token=abcdef123'), 422, 'scrub_rejected'],
];

test.each(ATTACKS)(
  '%s is refused with a code, stores nothing and is not told again [civic:PV6] [civic:X4]',
  async (name, path, body, status, code) => {
    const before = rows();
    const from = `198.51.100.${ATTACKS.findIndex(([other]) => other === name)}`;
    const answer = await room.post(path, body, from);
    expect([answer.status, answer.body.code, rows()]).toEqual([status, code, before]);
    // A member that is unknown or banned is named by its pointer; its value never is.
    expect(JSON.stringify(answer.body)).not.toContain(MARK);
    expect(room.log.join('\n')).not.toContain(MARK);
  },
);

test('active content of a draft or a diff is named as such, and where it stands [civic:K15] [civic:PV14]', async () => {
  const drafted = await room.post(ROUTES.draft, draft('Pay {1 + 1}.'), '203.0.113.60');
  const amended = await room.post(ROUTES.amendment, diff('<Evil/>'), '203.0.113.61');
  const places = [drafted, amended].map(({ body }) => body.errors.map((one: object) => Object.values(one).slice(0, 2)));
  expect(places).toEqual([[['active_content', '/content/body']], [['active_content', '/content/body_diff/diff']]]);
  expect([drafted.body.pointer, drafted.body.keyword]).toEqual(['/content/body', 'active_content']);
});

test.each(['import something', 'export nothing', '*a* <Ref', '[a]: java\tscript:x', '[x](file:///etc)'])(
  'what only the syntax tree sees as active is named like the rest: %j [civic:K15]',
  async (text) => {
    const from = `203.0.113.${70 + text.length}`;
    const body_diff = { diff: `@@ -16,2 +16,4 @@\n Bring the card.\n-Bring the form.\n+\n+${text}\n+\n` };
    const answers = [
      await room.post(ROUTES.draft, draft(`A.\n\n${text}\n\nB.`), from),
      await room.post(
        ROUTES.amendment,
        request('amendment', { content: { amendment_subtype: 'body_diff', body_diff } }),
        from,
      ),
    ];
    expect(answers.map(({ status, body }) => [status, body.code, body.errors?.[0]?.rule])).toEqual([
      [422, 'scrub_rejected', 'active_content'],
      [422, 'scrub_rejected', 'active_content'],
    ]);
  },
);

test('nothing of any attack is on the disk', () => {
  const bytes = readdirSync(join(scratch, 'data')).map((file) => readFileSync(join(scratch, 'data', file), 'latin1'));
  expect(bytes.filter((text) => text.includes(MARK) || text.includes(MARK.toLowerCase()))).toEqual([]);
});

test('text that nobody sees is held, cleaned where it is harmless, and never shown as it came [civic:PV14] [civic:PV15]', async () => {
  const override = await room.post(
    ROUTES.concern,
    request('concern', { report: 'Pay \u202eruoy\u202c fee.' }),
    '203.0.113.50',
  );
  const tags = await room.post(
    ROUTES.concern,
    request('concern', { report: 'Pay.\u{e0069}\u{e0067}' }),
    '203.0.113.51',
  );
  const harmless = await room.post(
    ROUTES.concern,
    request('concern', { report: 'The f\u200bee is 5.' }),
    '203.0.113.52',
  );
  const { body } = await room.get('/api/concerns?target_type=skill&target_id=sample-move');
  expect([
    [override, tags, harmless].map((answer) => answer.body.status),
    body.concerns.map(({ report }: { report: string }) => report),
  ]).toEqual([['held_ner', 'held_ner', 'accepted'], ['The fee is 5.']]);
});

/** How many rows each table of the store has. */
function rows(): Record<string, number> {
  const database = new DatabaseSync(join(scratch, 'data', 'registry.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'civic_%'").all();
  const counts = Object.fromEntries(
    (tables as { name: string }[]).map(({ name }) => [
      name,
      (database.prepare(`SELECT count(*) AS n FROM ${name}`).get() as { n: number }).n,
    ]),
  );
  database.close();
  return counts;
}
