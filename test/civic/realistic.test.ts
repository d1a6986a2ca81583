import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { common, ITEMS, type ItemType, request } from '../../src/store/civic/testing/requests.ts';
import { commandOutput, ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';
import { openSession } from '../support/raw-client.ts';
import { corpusSet } from '../support/realistic/corpus-set.ts';

const { files, skills } = corpusSet(5);
const START = Date.parse('2026-11-02T12:00:00Z');
const HOUR = 3_600_000;

let scratch: string;
let room: ServedRoom;
let session: Awaited<ReturnType<typeof openSession>>;
let now = START;
const place = () => ({ corpusDir: join(scratch, 'corpus'), dataDir: join(scratch, 'data') });

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-realistic-'));
  writeFiles(place().corpusDir, files);
  room = await ServedRoom.start({ ...place(), now: new Date(START).toISOString() });
  session = await openSession(`${room.url}/mcp`);
});
afterAll(async () => {
  await room.stop();
  rmSync(scratch, { recursive: true, force: true });
});

/** An address may send ten requests a minute, and this session has one. */
async function wait(ms: number): Promise<void> {
  now += ms;
  const { status } = await room.send('PUT', '/v1/test/clock', { now: new Date(now).toISOString() });
  expect(status).toBe(200);
}

interface Called {
  readonly isError?: boolean;
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly text: string }[];
}
async function call(name: string, args: object): Promise<Called> {
  await wait(60_000);
  return (await session.request('tools/call', { name, arguments: args })).result as Called;
}
const direct = (tool: string, args: object) => call(`civic__${tool}`, args);
const bySearch = (tool: string, args: object) => call('call_tool', { name: `civic__${tool}`, arguments: args });

const fileOf = (id: string) => readFileSync(join(place().corpusDir, `skills/${id}/canonical.md`), 'utf8');
const versionOf = (id: string) => /^version: (.+)$/m.exec(fileOf(id))?.[1] ?? '';
/** Its number in the file, front matter included. */
const lineOf = (id: string, text: string) => fileOf(id).split('\n').indexOf(text) + 1;

test('[civic:C1] a corpus of thirty procedures passes its checks and is served whole', async () => {
  const checked = await commandOutput(['civic', 'check', place().corpusDir], { dataDir: join(scratch, 'check') });
  expect([checked.code, checked.stderr]).toEqual([0, '']);
  const graph = JSON.parse((await room.send('GET', '/agents/skills-graph.json')).text);
  expect(graph.skills.map(({ skill_id }: { skill_id: string }) => skill_id).sort()).toEqual([...skills].sort());
  for (const id of skills) {
    const { status, text } = await room.send('GET', `/skills/${id}/canonical`);
    expect([id, status, text.includes(`Keep the receipt of ${id}.`)]).toEqual([id, 200, true]);
  }
});

const [target = ''] = skills;
const SUBMISSIONS: Record<string, () => object> = {
  submit_concern: () => about('concern'),
  submit_amendment: () => amendment(target, 'Keep the signed receipt.'),
  submit_validation: () => ({ ...about('validation'), target_version: versionOf(target) }),
  submit_draft: () => request('draft'),
  submit_feedback_channel: () => request('feedback'),
  submit_rating: () => about('rating'),
  submit_feedback: () => ({ ...common(), items: [{ type: 'rating', ...ITEMS.rating, target_id: target }] }),
};
const about = (type: ItemType) => ({ ...request(type), target_id: target });

function amendment(id: string, line: string): object {
  const old = `3. Keep the receipt of ${id}.`;
  const at = lineOf(id, old);
  const body_diff = { diff: `@@ -${at},1 +${at},1 @@\n-${old}\n+3. ${line}\n` };
  const content = { amendment_subtype: 'body_diff', body_diff };
  return { ...request('amendment'), target_id: id, base_version: versionOf(id), content };
}

describe('on /mcp', () => {
  test('the submit tools are these seven', async () => {
    // Without the header of a proxy: behind one the admin API wants a credential.
    const response = await fetch(`${room.url}/v1/tools?server=civic&limit=100`);
    const { items } = (await response.json()) as { items: { original_name: string }[] };
    const names = items.map((item) => item.original_name);
    expect(names.filter((name: string) => name.startsWith('submit_')).sort()).toEqual(Object.keys(SUBMISSIONS).sort());
  });

  test.each(Object.keys(SUBMISSIONS))(
    '[gateway:F6] %s takes a submission, by itself and by call_tool',
    async (tool) => {
      const submission = SUBMISSIONS[tool] as () => object;
      const answers = [await direct(tool, submission()), await bySearch(tool, submission())];
      expect(answers.map(({ isError }) => isError)).toEqual([undefined, undefined]);
      expect(answers[1]?.structuredContent).toEqual(answers[0]?.structuredContent);
      expect(JSON.stringify(answers[0]?.structuredContent)).toContain('dry_run_ok');
    },
  );

  test.each(Object.keys(SUBMISSIONS))('[gateway:F6] %s by call_tool says which member is wrong', async (tool) => {
    const submission = { ...SUBMISSIONS[tool]?.(), submitting_agent: 'no version' };
    const { isError, content } = await bySearch(tool, submission);
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('/submitting_agent')]);
  });

  test('[civic:K3] amendments of ten procedures merge after their day, each into its own text', async () => {
    const amended = skills.slice(0, 10);
    const before = new Map(amended.map((id) => [id, fileOf(id)]));
    for (const [index, id] of amended.entries()) {
      const send = index % 2 === 0 ? direct : bySearch;
      const sent = { ...amendment(id, `Keep the stamped receipt of ${id}.`), dry_run: false };
      const { isError, structuredContent } = await send('submit_amendment', sent);
      expect([id, isError, structuredContent.status]).toEqual([id, undefined, 'accepted']);
    }
    await wait(24 * HOUR);
    for (const id of amended) {
      const [, major, minor] = /version: (\d+)\.(\d+)\.\d+/.exec(before.get(id) ?? '') ?? [];
      expect([id, fileOf(id).includes('Keep the stamped receipt of'), versionOf(id)]).toEqual([
        id,
        true,
        `${major}.${Number(minor) + 1}.0`,
      ]);
      expect((await room.send('GET', `/skills/${id}/canonical`)).text).toContain(`Keep the stamped receipt of ${id}.`);
    }
    // Nothing else has changed.
    for (const id of skills.slice(10)) expect(fileOf(id)).toBe(files[`skills/${id}/canonical.md`]);
  });
});
