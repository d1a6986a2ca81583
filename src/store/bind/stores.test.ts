import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { Dice, randomZones } from '../../../test/naive/bind-graph.ts';
import { Answers } from '../../bind/answers.ts';
import { findBrokenEntry } from '../../bind/change-log.ts';
import { zoneEtag } from '../../bind/read-zone.ts';
import { mcp, policy, url, zoneText } from '../../bind/testing/zones.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { FolderZones } from './folder-zones.ts';
import { SqliteZones } from './sqlite-zones.ts';

const folders: string[] = [];
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-zones-'));
  folders.push(folder);
  return folder;
}

function openFolder(folder: string): FolderZones {
  const store = new FolderZones(folder, createMemoryLog());
  open.push(store);
  return store;
}

function openSqlite(file: string): SqliteZones {
  const store = new SqliteZones(file, createMemoryLog());
  open.push(store);
  return store;
}

async function until(holds: () => boolean, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!holds() && performance.now() < end) await sleep(10);
  return holds();
}

const zone = (word: string) => zoneText('acme', [mcp(url(word))]);
const endpointOf = (store: FolderZones | SqliteZones, name = 'acme') => store.table.get(name)?.endpoints[0]?.endpoint;
const write = (store: FolderZones | SqliteZones, name: string, word: string) =>
  store.update(name, '2026-01-01T00:00:00.000Z', () => ({ text: zoneText(name, [mcp(url(word))]), by: 'test' }));

test('[bind:U24] only <canonical name>.json is a zone', () => {
  const folder = newFolder();
  for (const file of ['acme.json', 'Upper.json', 'x.json.bak', 'x.JSON', 'a.b.json', '.json', 'notes.txt', '-x.json']) {
    writeFileSync(join(folder, file), zone('a'));
  }
  mkdirSync(join(folder, 'meta'));
  writeFileSync(join(folder, 'meta', 'inner.json'), zone('a'));
  expect(openFolder(folder).table.names()).toEqual(['acme']);
});

test('[bind:X10] a file that exists and cannot be read is a corrupt zone, not a missing one', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'acme.json'));
  writeFileSync(join(folder, 'empty.json'), '');
  const { table } = openFolder(folder);
  expect([table.get('acme')?.state, table.get('empty')?.state]).toEqual(['unreadable', 'unreadable']);
});

test('a folder or a database that is not there is an error with a code', () => {
  expect(() => new FolderZones(join(newFolder(), 'gone'), createMemoryLog())).toThrow('folder of zones');
  expect(() => new SqliteZones(join(newFolder(), 'gone', 'x.db'), createMemoryLog())).toThrow('database of zones');
});

test('a folder and a database of the same zones give the same answers, bytes included', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const dice = new Dice(seed);
    const { zones, names } = randomZones(dice);
    const folder = newFolder();
    for (const [name, text] of zones) writeFileSync(join(folder, `${name}.json`), text);
    const file = join(folder, 'registry.db');
    openSqlite(file);
    const database = new DatabaseSync(file);
    const insert = database.prepare('INSERT INTO bind_zones VALUES (?, ?, 0)');
    for (const [name, text] of dice.shuffle([...zones])) insert.run(name, Buffer.from(text));
    database.close();
    const answersOf = (store: FolderZones | SqliteZones) => {
      const answers = new Answers({ zones: store.table, policy, clock: { now: () => 0 } });
      return JSON.stringify(
        names.flatMap((name) =>
          (['mcp', 'default'] as const).map((mode) => answers.answer({ name, mode, trace: true })),
        ),
      );
    };
    expect(answersOf(openSqlite(file))).toBe(answersOf(openFolder(folder)));
  }
});

describe('zones that cannot be followed are said once, stay, and are followed again', () => {
  const LOST = 'zones cannot be read; the last known ones stay in use';

  async function goesAndComesBack(
    store: FolderZones | SqliteZones,
    { lines }: ReturnType<typeof createMemoryLog>,
    { goes, comesBack }: { goes(): void; comesBack(): void },
  ) {
    open.push(store);
    store.follow();
    const said = () => lines.map(({ message }) => message).filter((message) => message.startsWith('zones '));
    goes();
    expect(await until(() => said().includes(LOST), 5000)).toBe(true);
    // Long enough for two more looks.
    await sleep(1200);
    comesBack();
    expect(await until(() => endpointOf(store) === url('b'), 5000)).toBe(true);
    expect(await until(() => said().length > 1, 5000)).toBe(true);
    expect(said()).toEqual([LOST, 'zones can be read again']);
  }

  test('a folder that is removed', async () => {
    const folder = newFolder();
    const log = createMemoryLog();
    await goesAndComesBack(new FolderZones(folder, log), log, {
      goes: () => rmSync(folder, { recursive: true }),
      comesBack: () => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'acme.json'), zone('b'));
      },
    });
  });

  test('a database whose table is gone', async () => {
    const file = join(newFolder(), 'registry.db');
    const log = createMemoryLog();
    const store = new SqliteZones(file, log);
    await write(store, 'acme', 'a');
    const other = new DatabaseSync(file);
    await goesAndComesBack(store, log, {
      goes: () => other.exec('ALTER TABLE bind_zones RENAME TO away'),
      comesBack: () => {
        expect(endpointOf(store)).toBe(url('a'));
        other.exec('ALTER TABLE away RENAME TO bind_zones');
        other.prepare('UPDATE bind_zones SET bytes = ?, seq = 9').run(Buffer.from(zone('b')));
      },
    });
    other.close();
  });
});

test('a write to a locked database fails with a code', async () => {
  const file = join(newFolder(), 'registry.db');
  const store = openSqlite(file);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(write(store, 'acme', 'a')).rejects.toMatchObject({ code: 'ZONE_STORE_FAILED' });
  other.exec('ROLLBACK');
  other.close();
  await write(store, 'acme', 'b');
  expect(endpointOf(store)).toBe(url('b'));
});

describe('a changed zone is served within one second', () => {
  test('from a folder: written, replaced by a rename, added, deleted', async () => {
    const folder = newFolder();
    const file = join(folder, 'acme.json');
    writeFileSync(file, zone('a'));
    const store = openFolder(folder);
    store.follow();
    writeFileSync(file, zone('b'));
    expect(await until(() => endpointOf(store) === url('b'), 1000)).toBe(true);
    writeFileSync(join(folder, 'tmp'), zone('c'));
    renameSync(join(folder, 'tmp'), file);
    expect(await until(() => endpointOf(store) === url('c'), 1000)).toBe(true);
    writeFileSync(join(folder, 'other.json'), zoneText('other', [mcp(url('o'))]));
    expect(await until(() => endpointOf(store, 'other') === url('o'), 1000)).toBe(true);
    rmSync(file);
    expect(await until(() => store.table.get('acme') === undefined, 1000)).toBe(true);
    expect(store.table.names()).toEqual(['other']);
  });

  test('from a database that another process writes', async () => {
    const file = join(newFolder(), 'registry.db');
    const [reader, writer] = [openSqlite(file), openSqlite(file)];
    reader.follow();
    await write(writer, 'acme', 'a');
    expect(await until(() => endpointOf(reader) === url('a'), 1000)).toBe(true);
    await write(writer, 'acme', 'b');
    expect(await until(() => endpointOf(reader) === url('b'), 1000)).toBe(true);
  });
});

describe.each([
  ['a folder', (folder: string) => openFolder(folder)],
  ['a database', (folder: string) => openSqlite(join(folder, 'registry.db'))],
])('writes to %s', (_name, openAt) => {
  test('[bind:A20] are served at once, logged in a chain, and there after a restart', async () => {
    const folder = newFolder();
    const store = openAt(folder);
    await write(store, 'acme', 'a');
    await write(store, 'acme', 'b');
    await write(store, 'other', 'o');
    expect([endpointOf(store), endpointOf(store, 'other')]).toEqual([url('b'), url('o')]);
    const again = openAt(folder);
    const entries = again.entries(0, 100);
    expect([endpointOf(again), entries.map(({ seq }) => seq), findBrokenEntry(entries)]).toEqual([
      url('b'),
      [1, 2, 3],
      undefined,
    ]);
    expect(entries[1]?.replaced).toBe(entries[0]?.zone);
    expect(again.entries(1, 1)).toEqual([entries[1]]);
  });

  test('[bind:A20] that are refused leave everything as it was', async () => {
    const store = openAt(newFolder());
    await write(store, 'acme', 'a');
    const refused = store.update('acme', '', () => {
      throw new Error('no');
    });
    await expect(refused).rejects.toMatchObject({ code: 'ZONE_STORE_FAILED' });
    expect([endpointOf(store), store.entries(0, 9).length]).toEqual([url('a'), 1]);
  });

  test('[bind:A20] of many writers at once are all there, one after the other', async () => {
    const folder = newFolder();
    const stores = [openAt(folder), openAt(folder), openAt(folder)];
    await Promise.all(
      stores.flatMap((store, index) => [1, 2, 3].map((turn) => write(store, `z${index}-${turn}`, 'x'))),
    );
    const entries = openAt(folder).entries(0, 100);
    expect([entries.length, findBrokenEntry(entries)]).toEqual([9, undefined]);
  });
});

describe('a folder after an interrupted write', () => {
  test('[bind:A20] a torn entry is dropped and its zone with it; an entry whose file was not moved is completed', async () => {
    const folder = newFolder();
    const store = openFolder(folder);
    await write(store, 'acme', 'a');
    const log = join(folder, 'meta', 'changes.jsonl');
    writeFileSync(join(folder, 'meta', 'pending-acme.json'), zone('never'));
    appendFileSync(log, '{"seq":2,"identity":"ai://ac');
    expect(store.entries(0, 9).length).toBe(1);
    await write(store, 'other', 'o');
    expect([endpointOf(openFolder(folder)), store.entries(0, 9).map(({ seq }) => seq)]).toEqual([url('a'), [1, 2]]);
    // As if the process had ended between the entry and the move.
    renameSync(join(folder, 'other.json'), join(folder, 'meta', 'pending-other.json'));
    await write(store, 'third', 't');
    expect(endpointOf(openFolder(folder), 'other')).toBe(url('o'));
    expect(readdirSync(join(folder, 'meta')).sort()).toEqual(['changes.jsonl']);
  });

  test('[bind:A20] a writer that is killed at any moment leaves a whole chain and the zones that it tells of', async () => {
    const folder = newFolder();
    const script = new URL('./testing/write-for-ever.ts', import.meta.url);
    for (let round = 0; round < 4; round += 1) {
      const writer = spawn(process.execPath, [script.pathname, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(writer.stdout, 'data');
      await sleep(20 + round * 23);
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      // The lock of the killed one would be waited for; nobody holds it.
      rmSync(join(folder, 'meta.lock'), { recursive: true, force: true });
    }
    const store = openFolder(folder);
    await write(store, 'last', 'x');
    const entries = store.entries(0, 1e6);
    const newest = new Map(entries.map((entry) => [entry.identity.slice('ai://'.length), entry.zone]));
    const { table } = openFolder(folder);
    expect([entries.length > 8, findBrokenEntry(entries)]).toEqual([true, undefined]);
    expect(table.names().map((name) => [name, zoneEtag(table.get(name) as never).slice(1, -1)])).toEqual(
      [...newest].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });

  test('a zone whose entry does not fit on the disk is refused, and is not stored', async () => {
    const folder = newFolder();
    const script = new URL('./testing/write-until-refused.ts', import.meta.url).pathname;
    const limited = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, script, folder];
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' });
    const store = openFolder(folder);
    const { length } = store.entries(0, 1e6);
    expect([stdout, JSON.parse(readFileSync(join(folder, 'acme.json'), 'utf8')).turn]).toEqual([
      JSON.stringify([length, 'ZONE_STORE_FAILED']),
      length - 1,
    ]);
    expect((await write(store, 'acme', 'a')).seq).toBe(length + 1);
  });

  test('a folder that may not be written is an error with a code, and nothing changes', async () => {
    const folder = newFolder();
    const store = openFolder(folder);
    await write(store, 'acme', 'a');
    rmSync(join(folder, 'meta'), { recursive: true });
    writeFileSync(join(folder, 'meta'), 'in the way');
    await expect(write(store, 'acme', 'b')).rejects.toMatchObject({ code: 'ZONE_STORE_FAILED' });
    expect(readFileSync(join(folder, 'acme.json'), 'utf8')).toBe(zone('a'));
    expect(existsSync(join(folder, 'meta.lock'))).toBe(false);
  });
});

describe('a folder of zones that is gone', () => {
  const age = (answers: Answers, name = 'acme') => {
    const answer = answers.answer({ name, mode: 'mcp' });
    return answer.ok && 'mode' in answer.body ? [answer.body.source, answer.body.age, answer.body.ttl] : answer;
  };

  test.each([
    ['renamed away', (folder: string) => renameSync(folder, `${folder}-gone`)],
    [
      'replaced by an empty one, as an unmounted volume is',
      (folder: string) => {
        renameSync(folder, `${folder}-gone`);
        mkdirSync(folder);
      },
    ],
  ])(
    '%s: its zones stay, are called stale with their age, and are current again when it is back',
    async (_way, take) => {
      const folder = newFolder();
      writeFileSync(join(folder, 'acme.json'), zone('a'));
      const store = openFolder(folder);
      store.follow();
      const clock = { now: () => (store.table.staleSinceMs ?? 0) + 90_500 };
      const answers = new Answers({ zones: store.table, policy, clock });
      expect(age(answers)).toEqual(['authoritative', undefined, 3600]);
      take(folder);
      expect(await until(() => store.table.staleSinceMs !== undefined, 10_000)).toBe(true);
      expect(age(answers)).toEqual(['stale', 90, 60]);
      const raw = answers.answer({ name: 'acme', mode: 'default' });
      expect(raw.ok && 'warnings' in raw.body && raw.body.warnings.map(({ code }) => code)).toEqual(['stale']);
      rmSync(folder, { recursive: true, force: true });
      renameSync(`${folder}-gone`, folder);
      expect(await until(() => store.table.staleSinceMs === undefined, 10_000)).toBe(true);
      expect(age(answers)).toEqual(['authoritative', undefined, 3600]);
    },
  );

  test('a zone that is deleted in a folder that stays is gone, the last one too', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'acme.json'), zone('a'));
    const store = openFolder(folder);
    store.follow();
    rmSync(join(folder, 'acme.json'));
    expect(await until(() => store.table.names().length === 0, 10_000)).toBe(true);
    expect(store.table.staleSinceMs).toBeUndefined();
  });
});
