import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { common, freshId, ITEMS, ROUTES, request, traversal, vote } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../../src/store/civic/testing/sample-corpus.ts';
import { commandOutput, ServedRoom } from '../../src/store/civic/testing/served-room.ts';
import { writeFiles } from '../../src/store/civic/testing/write-room.ts';

const SESSIONS = Array.from({ length: 12 }, () => freshId('ses'));
const ADDRESSES = Array.from({ length: 12 }, (_, n) => `198.51.100.${n + 1}`);

let scratch: string;
let options: { corpusDir: string; dataDir: string; now: string };
let room: ServedRoom;
let publicBytes: string;
let kept: Set<string>;

/** Everything a stranger can see after every kind of submission has taken effect. */
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-privacy-'));
  options = { corpusDir: join(scratch, 'corpus'), dataDir: join(scratch, 'data'), now: '2026-11-02T12:00:00Z' };
  writeFiles(options.corpusDir, SAMPLE_CORPUS);
  execFileSync('git', ['init', '--quiet', options.corpusDir]);
  room = await ServedRoom.start(options);
  const answers = await workload();
  kept = hashesInStore();
  publicBytes = [...answers, ...(await everyRoute()), ...filesUnder(options.corpusDir), gitLog(), ...room.log].join(
    '\n',
  );
  const out = join(scratch, 'export');
  await commandOutput(['civic', 'export', options.corpusDir, '--to', out, '--json'], options);
  publicBytes += filesUnder(out).join('\n');
});
afterAll(async () => {
  await room.stop();
  rmSync(scratch, { recursive: true, force: true });
});

describe('what everyone can see [civic:T7] [civic:I1] [civic:I6]', () => {
  test('the workload left hashes to look for, and public texts to look in', () => {
    expect([
      kept.size > 10,
      publicBytes.includes('Bring the signed form.'),
      publicBytes.includes('merge skill sample-move 1.1.0'),
    ]).toEqual([true, true, true]);
  });

  test('has no address', () => {
    expect(ADDRESSES.filter((address) => publicBytes.includes(address))).toEqual([]);
  });

  test('has no hash of an address, whole or in part', () => {
    expect([...kept].filter((hash) => publicBytes.includes(hash.slice(0, 16)))).toEqual([]);
  });

  test('has no plain digest of an address either', () => {
    const digests = ADDRESSES.map((address) => createHash('sha256').update(address).digest('hex'));
    expect(digests.filter((digest) => publicBytes.includes(digest))).toEqual([]);
  });

  test('has no session, and no agent [civic:C10] [civic:T5]', () => {
    expect([...SESSIONS, 'sample-agent'].filter((text) => publicBytes.includes(text))).toEqual([]);
  });
});

describe('what the disk holds', () => {
  test('no file has an address in it [civic:I1]', () => {
    const bytes = filesUnder(options.dataDir).join('\n');
    expect(ADDRESSES.filter((address) => bytes.includes(address))).toEqual([]);
  });

  test('salts and pepper stand apart from the registry, for their owner only [civic:C6] [civic:PV1]', () => {
    const salts = new DatabaseSync(join(options.dataDir, 'civic-salts.db'), { readOnly: true });
    const rows = salts.prepare('SELECT key, bytes FROM civic_salts').all() as { key: string; bytes: Uint8Array }[];
    const registry = ['registry.db', 'registry.db-wal']
      .map((name) => readFileSync(join(options.dataDir, name), 'latin1'))
      .join('');
    const pepper = readFileSync(join(options.dataDir, 'civic', 'pepper'));
    const found = [pepper, ...rows.map(({ bytes }) => Buffer.from(bytes))].filter((secret) =>
      registry.includes(secret.toString('latin1')),
    );
    const modes = ['civic-salts.db', 'civic/pepper'].map((name) => statSync(join(options.dataDir, name)).mode & 0o777);
    expect([rows.length > 2, found, modes, pepper.byteLength]).toEqual([true, [], [0o600, 0o600], 32]);
    expect(rows.map(({ key }) => key).filter((key) => key.startsWith('daily:'))).toEqual(['daily:2026-11-04']);
    salts.close();
  });
});

describe('forged headers [civic:C5]', () => {
  const rating = () => request('rating', { dry_run: true });

  test('from a peer that is no proxy change nothing', async () => {
    const plain = await ServedRoom.start({ ...options, dataDir: join(scratch, 'plain'), proxies: [] });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      statuses.push((await plain.send('POST', ROUTES.rating, rating(), `203.0.113.${n}`)).status);
    }
    await plain.stop();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  });

  test('behind a proxy, what a client wrote before it changes nothing', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const forged = `203.0.113.${n}, nonsense, 192.0.2.1, 198.51.100.77`;
      statuses.push((await room.send('POST', ROUTES.rating, rating(), forged)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  });
});

async function workload(): Promise<string[]> {
  const answers: string[] = [];
  let n = 0;
  const post = async (path: string, body: object) => {
    const sent = { ...body, session_id: SESSIONS[n % SESSIONS.length] };
    const { status, text } = await room.send('POST', path, sent, ADDRESSES[n % ADDRESSES.length]);
    if (status !== 202) throw new Error(`${path} answered ${status}: ${text}`);
    n++;
    // Ids and cancel tokens are the sender's own; the rest of the answer may be anyone's.
    answers.push(text);
  };
  await post(ROUTES.concern, request('concern'));
  await post(ROUTES.amendment, request('amendment'));
  await post(ROUTES.draft, request('draft'));
  await post(ROUTES.feedback, request('feedback'));
  await post(ROUTES.rating, request('rating'));
  await post(ROUTES.concern, request('concern', { report: 'My name is Anna Peeters and the desk was closed.' }));
  await post(ROUTES.validation, traversal('failure'));
  await post(ROUTES.validation, vote('reject', 'sample-birth', { injection_flag: true }));
  await post('/api/feedback', {
    ...common(),
    items: [{ type: 'validation', ...ITEMS.validation, target_id: 'sample-marriage' }],
  });
  await clock('2026-11-03T12:00:00Z');
  for (let i = 0; i < 3; i++)
    await post(ROUTES.validation, vote('confirm', 'sample-move', { target_version: '1.1.0' }));
  await clock('2026-11-04T12:00:00Z');
  await post(ROUTES.validation, vote('reject', 'sample-portal', { target_type: 'path' }));
  return answers;
}

async function clock(now: string): Promise<void> {
  const { status } = await room.send('PUT', '/v1/test/clock', { now });
  if (status !== 200) throw new Error('the clock did not move');
}

async function everyRoute(): Promise<string[]> {
  const paths = [
    '/',
    '/reference',
    '/openapi.json',
    '/metrics',
    '/llms.txt',
    '/scrub-rules.json',
    '/agents/skills-graph.json',
    '/agents/manifest.json',
    '/agents/errors.json',
    '/agents/schemas/envelope.json',
    '/skills/sample-move/canonical',
    '/api/skills/sample-move',
    '/api/find-skill?query=sample',
    '/api/onboarding-form?skill_id=sample-move',
    '/api/paths',
    '/api/paths?status=quarantined',
    '/api/paths/sample-portal',
    '/api/providers',
    '/api/concerns?target_type=skill&target_id=sample-move',
    '/api/submissions?session_id=ses_01890000-0000-7000-8000-ffffffffffff',
    '/api/review',
  ];
  const texts: string[] = [];
  for (const path of paths) {
    const response = await fetch(room.url + path);
    texts.push(JSON.stringify([...response.headers]), await response.text());
  }
  const refused = await room.send(
    'POST',
    ROUTES.validation,
    vote('confirm', 'sample-move', { target_version: '1.1.0' }),
    ADDRESSES[1],
  );
  return [...texts, refused.text];
}

/** Every value in the registry that was made from an address. */
function hashesInStore(): Set<string> {
  const database = new DatabaseSync(join(options.dataDir, 'registry.db'), { readOnly: true });
  const columns = [
    ['civic_day_items', 'daily_hash'],
    ['civic_day_flags', 'daily_hash'],
    ['civic_votes', 'voter'],
    ['civic_marks', 'hash'],
    ['civic_submissions', 'author'],
  ];
  const values = columns.flatMap(
    ([table, column]) =>
      database.prepare(`SELECT ${column} AS value FROM ${table}`).all() as { value: string | null }[],
  );
  database.close();
  return new Set(values.flatMap(({ value }) => (value === null ? [] : [value])));
}

function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

function gitLog(): string {
  return execFileSync('git', ['-C', options.corpusDir, 'log', '-p', '--format=fuller'], { encoding: 'utf8' });
}
