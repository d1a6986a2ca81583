import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { skill } from '../../src/store/civic/testing/sample-corpus.ts';
import { createWriteRoom, DAY, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(async () => {
  // Whatever a test did, its events lead to the states that are kept.
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
});

const { agree, file, statusLine, cast } = look(() => room);

describe('amendments [civic:L8] [civic:Q7] [civic:W7]', () => {
  test('a diff merges after its day, bumps the version and restarts the counts [civic:K3] [civic:SU15]', async () => {
    await cast('confirm', 2);
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY - 1);
    const before = file('skills/sample-move/canonical.md');
    await room.wait(1);
    const after = file('skills/sample-move/canonical.md');
    expect([before, after, room.deps.store.artefact('skill', 'sample-move')]).toMatchObject([
      skill('sample-move', 'alpha'),
      skill('sample-move', 'alpha')
        .replace('version: 1.0.0', 'version: 1.1.0')
        .replace('Bring the form.', 'Bring the signed form.'),
      { version: '1.1.0', state: 'alpha', votes: [] },
    ]);
  });

  test('another file that fails its checks neither refuses an amendment nor rejects it [civic:SU24] [civic:C3]', async () => {
    writeFileSync(join(room.corpusDir, 'skills/sample-birth/canonical.md'), 'broken');
    await room.deps.files.refresh();
    const sent = request('amendment');
    const { status } = await room.post(ROUTES.amendment, sent, address(1));
    await room.wait(DAY);
    const { submissions } = (await room.get(`/api/submissions?session_id=${sent.session_id}`)).body;
    expect([status, submissions[0].status, file('skills/sample-move/canonical.md').includes('signed form')]).toEqual([
      202,
      'merged',
      true,
    ]);
  });

  test('of two on one base the first staged wins', async () => {
    const first = request('amendment');
    const second = request('amendment', { rationale: 'Another reason.' });
    await room.post(ROUTES.amendment, first, address(1));
    await room.wait(HOUR);
    await room.post(ROUTES.amendment, second, address(2));
    await room.wait(2 * DAY);
    const status = async (session: string) =>
      (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0];
    expect([await status(first.session_id), await status(second.session_id)]).toMatchObject([
      { status: 'merged' },
      { status: 'rejected', code: 'target_version_stale' },
    ]);
  });

  test('who comes second on other lines is told before and after what to send again, and that merges', async () => {
    const lines = (base_version: string) =>
      request('amendment', {
        base_version,
        content: {
          amendment_subtype: 'body_diff',
          body_diff: { diff: '@@ -12,1 +12,1 @@\n-# Sample sample-move\n+# Sample move\n' },
        },
      });
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    const second = lines('1.0.0');
    const told = await room.post(ROUTES.amendment, second, address(2));
    await room.wait(2 * DAY);
    const { submissions } = (await room.get(`/api/submissions?session_id=${second.session_id}`)).body;
    const late = await room.post(ROUTES.amendment, lines('1.0.0'), address(3));
    const again = lines(submissions[0].current_version);
    await room.post(ROUTES.amendment, again, address(2));
    await room.wait(DAY);
    const next =
      'skill sample-move has version 1.1.0 now. Read it again, make the change against that version, and send it with base_version 1.1.0.';
    const text = file('skills/sample-move/canonical.md');
    expect([
      told.body.warning,
      submissions[0],
      [late.status, late.body.current_version, late.body.detail],
      [text.includes('# Sample move\n'), text.includes('Bring the signed form.')],
    ]).toMatchObject([
      expect.stringMatching(/^Another amendment of this artefact came first\./),
      { status: 'rejected', code: 'target_version_stale', current_version: '1.1.0', next },
      [409, '1.1.0', next],
      [true, true],
    ]);
  });

  test('a change of stable text falls back to beta, one of punctuation stays and bumps the patch [civic:K3]', async () => {
    const change = (line: string) => ({
      target_id: 'sample-marriage',
      content: {
        amendment_subtype: 'body_diff',
        body_diff: { diff: `@@ -17,1 +17,1 @@\n-Bring the form.\n+${line}\n` },
      },
    });
    await room.post(ROUTES.amendment, request('amendment', change('Bring, the form!')), address(1));
    await room.wait(DAY);
    const typo = room.deps.store.artefact('skill', 'sample-marriage');
    const again = {
      ...change('x'),
      base_version: '1.0.1',
      content: {
        amendment_subtype: 'frontmatter_change',
        frontmatter_change: { field_path: 'summary', proposed_value: 'A better summary.' },
      },
    };
    await room.post(ROUTES.amendment, request('amendment', again), address(2));
    await room.wait(DAY);
    expect([typo, room.deps.store.artefact('skill', 'sample-marriage'), statusLine('sample-marriage')]).toMatchObject([
      { version: '1.0.1', state: 'stable' },
      { version: '1.1.0', state: 'beta' },
      'beta',
    ]);
  });

  test.each([
    ['an offset', '@@ -15,2 +15,2 @@\n Bring the card.\n-Bring the form.\n+x\n'],
    ['other context', '@@ -16,2 +16,2 @@\n Bring the cart.\n-Bring the form.\n+x\n'],
    ['the front matter', '@@ -4,1 +4,1 @@\n-status: alpha\n+status: stable\n'],
    ['no diff', 'Bring the form.'],
    ['CRLF', '@@ -17,1 +17,1 @@\r\n-Bring the form.\r\n+x\r\n'],
  ])('a diff with %s is a fault of the schema [civic:SU15]', async (_, diff) => {
    const content = { amendment_subtype: 'body_diff', body_diff: { diff } };
    const { status, body } = await room.post(ROUTES.amendment, request('amendment', { content }), address(1));
    expect([status, body.code, body.pointer, body.keyword]).toEqual([
      422,
      'schema_invalid',
      '/content/body_diff/diff',
      'diff',
    ]);
  });

  test('values that readers see inside tags need not be known to the file [civic:SU15]', async () => {
    const diff =
      '@@ -14,1 +14,1 @@\n-Pay <VV name="fee" uid="val-01">25</VV> at the desk.\n+Pay <VV name="fee" uid="val-01">25</VV> online.\n';
    await room.post(
      ROUTES.amendment,
      request('amendment', { content: { amendment_subtype: 'body_diff', body_diff: { diff } } }),
      address(1),
    );
    await room.wait(DAY);
    expect(file('skills/sample-move/canonical.md')).toContain('Pay <VV name="fee" uid="val-01"/> online.');
  });

  test.each([
    [
      'path',
      'sample-portal',
      {
        amendment_subtype: 'frontmatter_change',
        frontmatter_change: { field_path: 'sources[id=web].priority', proposed_value: 3 },
      },
      'priority: 3',
    ],
    [
      'path_source',
      'sample-portal:web',
      { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path: 'priority', proposed_value: 4 } },
      'priority: 4',
    ],
    [
      'volatile_value',
      'val-01',
      { amendment_subtype: 'value_change', value_change: { proposed_value: '30' } },
      'value: "30"',
    ],
    [
      'reference',
      'ref-01',
      { amendment_subtype: 'reference_change', reference_change: { url: 'https://law.example.org/9' } },
      'https://law.example.org/9',
    ],
  ])(
    'an amendment of a %s merges into its file [civic:SU14] [civic:W7]',
    async (target_type, target_id, content, expected) => {
      const sent = request('amendment', { target_type, target_id, content });
      const { status } = await room.post(ROUTES.amendment, sent, address(1));
      await agree();
      const path = {
        path: 'paths/sample-portal.yaml',
        path_source: 'paths/sample-portal.yaml',
        volatile_value: 'catalogue/values.yaml',
        reference: 'catalogue/references.yaml',
      }[target_type] as string;
      expect([status, file(path).includes(expected), file(path).includes('version: 1.1.0')]).toEqual([202, true, true]);
    },
  );

  test.each([
    [
      'readonly',
      {
        amendment_subtype: 'frontmatter_change',
        frontmatter_change: { field_path: 'status', proposed_value: 'stable' },
      },
      '/content/frontmatter_change/field_path',
    ],
    [
      'pattern',
      { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path: 'a[0]', proposed_value: 1 } },
      '/content/frontmatter_change/field_path',
    ],
    ...['title.x', 'citations.x', 'applies_to.region.x'].map((field_path): [string, object, string] => [
      'field_path',
      { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path, proposed_value: 'x' } },
      '/content/frontmatter_change/field_path',
    ]),
    [
      'enum',
      { amendment_subtype: 'value_change', value_change: { proposed_value: '1' } },
      '/content/amendment_subtype',
    ],
    ['required', { amendment_subtype: 'body_diff' }, '/content/body_diff'],
    ...(
      [
        ['title', 'Move\nstatus: stable # x'],
        ['title', '---'],
        ['summary', 'yes'],
      ] as const
    ).map(([field_path, proposed_value]): [string, object, string] => [
      'pattern',
      { amendment_subtype: 'frontmatter_change', frontmatter_change: { field_path, proposed_value } },
      '/content/frontmatter_change/proposed_value',
    ]),
    [
      'unknown_requires',
      {
        amendment_subtype: 'frontmatter_change',
        frontmatter_change: { field_path: 'requires', proposed_value: [{ id: 'nowhere' }] },
      },
      '/content/frontmatter_change',
    ],
  ])(
    'a content with a fault of %s is refused [civic:SU14] [civic:SU16] [civic:SU24]',
    async (keyword, content, pointer) => {
      const { status, body } = await room.post(ROUTES.amendment, request('amendment', { content }), address(1));
      expect([status, body.pointer, body.keyword]).toEqual([422, pointer, keyword]);
    },
  );
});
