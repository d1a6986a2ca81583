import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replayStore } from '../../../civic/lifecycle/replay-store.ts';
import { openCivicStore } from '../open-civic-store.ts';
import { ARMED, type KillNote, type KillPoint, MERGE_POINTS, WRITE_POINTS } from './kill-points.ts';
import { address, common, ITEMS, ROUTES, request } from './requests.ts';
import { SAMPLE_CORPUS, skill } from './sample-corpus.ts';
import { ServedRoom } from './served-room.ts';
import { DAY, HOUR, START, writeFiles } from './write-room.ts';

/** Concurrent requests. */
const LANES = 6;
/** Amendments per round; the server dies while merging them. */
const AMENDED = ['sample-n0', 'sample-n1', 'sample-n2', 'sample-n3'] as const;

/** Results of all kills at one point. */
export interface KillRow {
  readonly point: KillPoint;
  kills: number;
  /** Requests without an answer when the server died, or changes not yet in the folder. */
  underWay: number;
  /** Submissions answered before the kill. */
  answered: number;
  /** Answered submissions that were lost, partial data, and double merges. */
  readonly faults: string[];
}

/** Kills a server `writes` times during writes and `merges` times during merges; each start continues the previous state. */
export async function runKills({ writes, merges }: { writes: number; merges: number }): Promise<KillRow[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-kills-'));
  try {
    const written = await killWrites(join(scratch, 'writes'), writes);
    return [...written, ...(await killMerges(join(scratch, 'merges'), merges))];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class Trial {
  readonly corpusDir: string;
  readonly dataDir: string;
  readonly rows: readonly KillRow[];
  readonly #note: string;

  constructor(dir: string, points: readonly KillPoint[], files: Readonly<Record<string, string>>) {
    this.corpusDir = join(dir, 'corpus');
    this.dataDir = join(dir, 'data');
    this.#note = join(dir, 'note.json');
    this.rows = points.map((point) => ({ point, kills: 0, underWay: 0, answered: 0, faults: [] }));
    mkdirSync(dir, { recursive: true });
    writeFiles(this.corpusDir, files);
    this.git('init', '--quiet');
    this.git('add', '--all');
    this.git('-c', 'user.name=k', '-c', 'user.email=k@localhost', 'commit', '--quiet', '--message', 'Add the corpus');
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.corpusDir, ...args], { encoding: 'utf8', stdio: 'pipe' });
  }

  start(now: number, kill?: { point: KillPoint; hit: number }): Promise<ServedRoom> {
    for (const end of ['', ARMED]) rmSync(this.#note + end, { force: true });
    const options = { corpusDir: this.corpusDir, dataDir: this.dataDir, now: new Date(now).toISOString() };
    return ServedRoom.start(kill ? { ...options, kill: { ...kill, note: this.#note } } : options);
  }

  /** From now on the server dies at its point. */
  arm(): void {
    writeFileSync(this.#note + ARMED, '');
  }

  /** The point where the server died; throws if it died elsewhere, or not at all. */
  readNote(point: KillPoint): KillNote {
    const note = existsSync(this.#note) ? (JSON.parse(readFileSync(this.#note, 'utf8')) as KillNote) : undefined;
    if (note?.point !== point) throw new Error(`the server did not die at "${point}" but at "${note?.point}"`);
    return note;
  }
}

/** Resolves when the process was killed; rejects if it ended otherwise. */
async function death({ process: child }: ServedRoom): Promise<void> {
  const signal = child.signalCode ?? ((await once(child, 'exit')) as [number, string])[1];
  if (signal !== 'SIGKILL') throw new Error(`the server ended by itself (${signal})`);
}

async function killWrites(dir: string, kills: number): Promise<readonly KillRow[]> {
  const trial = new Trial(dir, WRITE_POINTS, SAMPLE_CORPUS);
  const answered = new Map<string, string>();
  let sender = 0;
  for (let n = 0; n < kills; n++) {
    const row = trial.rows[n % trial.rows.length] as KillRow;
    // Later than the first request of every lane, so that some were answered.
    const hit = 3 * LANES + 5 + ((n * 37) % 60);
    const room = await trial.start(START + n * DAY, { point: row.point, hit });
    trial.arm();
    let open = 0;
    const send = async (lane: number) => {
      for (let k = 0; ; k++) {
        const items = [
          { type: 'concern', ...ITEMS.concern, report: `Round ${n}, lane ${lane}, report ${k}.` },
          { type: 'draft', ...ITEMS.draft, proposed_id: `sample-r${n}-l${lane}-n${k}` },
          { type: 'validation', ...ITEMS.validation, target_id: 'sample-birth', rationale: `Yes ${k}.` },
        ];
        // The server dies during the last of these, which gets no answer.
        const answer = await room
          .send('POST', '/api/feedback', { ...common(), items }, address(++sender))
          .catch(() => undefined);
        if (answer === undefined) {
          open++;
          return;
        }
        for (const { submission_id, type } of JSON.parse(answer.text).results) {
          if (submission_id === undefined) throw new Error(`not taken: ${answer.text}`);
          answered.set(submission_id, type);
          row.answered++;
        }
      }
    };
    await Promise.all([death(room), ...Array.from({ length: LANES }, (_, lane) => send(lane))]);
    row.kills++;
    row.underWay += open;
    row.faults.push(...writeFaults(trial, answered, trial.readNote(row.point)));
  }
  return trial.rows;
}

/** Right after a kill, before any repair: answered submissions exist, everything else is complete or absent. */
function writeFaults({ dataDir }: Trial, answered: ReadonlyMap<string, string>, note: KillNote): string[] {
  const { store, close } = openCivicStore(dataDir);
  try {
    const burst = new Set(store.concerns.inBurst(store.concerns.burstOf('skill', 'sample-move') ?? ''));
    const lost = [...answered.keys()].filter((id) => !store.submission(id)).map((id) => `lost ${id}`);
    const torn = [...answered]
      .filter(([id, type]) => type === 'concern' && store.submission(id)?.status === 'committed' && !burst.has(id))
      .filter(([id]) => store.artefact('concern', id) === undefined)
      .map(([id]) => `torn ${id}`);
    const isThere = store.submission(note.submissionId ?? '') !== undefined;
    const isWrong = isThere !== (note.point === 'submission committed');
    return [
      ...lost,
      ...torn,
      ...(isWrong ? [`${note.submissionId} is ${isThere ? 'there' : 'gone'} after "${note.point}"`] : []),
      ...(replayStore(store).equal ? [] : ['the events lead elsewhere']),
    ];
  } finally {
    close();
  }
}

async function killMerges(dir: string, kills: number): Promise<readonly KillRow[]> {
  const files = Object.fromEntries(AMENDED.map((id) => [`skills/${id}/canonical.md`, skill(id, 'alpha')]));
  const values = { 'catalogue/values.yaml': SAMPLE_CORPUS['catalogue/values.yaml'] as string };
  const trial = new Trial(dir, MERGE_POINTS, { ...files, ...values });
  const sent: string[] = [];
  let now = START;
  for (let n = 0; n < kills; n++) {
    const row = trial.rows[n % trial.rows.length] as KillRow;
    const room = await trial.start(now, { point: row.point, hit: 1 + (n % AMENDED.length) });
    // The start has completed the work that the previous kill interrupted.
    row.faults.push(...mergeFaults(trial, sent));
    for (const [index, id] of AMENDED.entries()) sent.push(await amend(room, trial, id, n, index));
    row.answered += AMENDED.length;
    now += DAY + HOUR;
    trial.arm();
    const moved = room.send('PUT', '/v1/test/clock', { now: new Date(now).toISOString() }).catch(() => undefined);
    await death(room);
    await moved;
    trial.readNote(row.point);
    row.kills++;
    row.underWay += notInFolder(trial, sent.slice(-AMENDED.length));
    ageLeftovers(trial);
  }
  if (kills === 0) return trial.rows;
  const last = await trial.start(now);
  await last.stop();
  trial.rows.at(-1)?.faults.push(...mergeFaults(trial, sent));
  return trial.rows;
}

async function amend(room: ServedRoom, trial: Trial, id: string, round: number, index: number): Promise<string> {
  // Letters: another number would wait for consensus.
  const name = String(round).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] as string);
  const content = {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path: 'summary', proposed_value: `Text of the round called ${name}.` },
  };
  const changes = { target_id: id, base_version: versionOf(trial, id), content, rationale: `Round ${round}.` };
  const from = address(80_000 + round * AMENDED.length + index);
  const { status, text } = await room.send('POST', ROUTES.amendment, request('amendment', changes), from);
  if (status !== 202) throw new Error(`an amendment was not taken: ${text}`);
  return JSON.parse(text).submission_id;
}

/** Changes of the round that are still staged, or whose intent is pending. */
function notInFolder({ dataDir }: Trial, ids: readonly string[]): number {
  const { store, close } = openCivicStore(dataDir);
  try {
    return ids.filter((id) => store.submission(id)?.status === 'staged').length + store.intents().length;
  } finally {
    close();
  }
}

/** After a start: every change merged once, in one commit, and store, folder and history agree. */
function mergeFaults(trial: Trial, sent: readonly string[]): string[] {
  const { store, close } = openCivicStore(trial.dataDir);
  try {
    const committed = trial.git('log', '--format=%(trailers:key=Submission,valueonly)').split('\n').filter(Boolean);
    const counts = Map.groupBy(committed, (id) => id);
    const untracked = readdirSync(trial.corpusDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /canonical\.md\.\d+$/.test(name),
    );
    return [
      ...sent
        .filter((id) => store.submission(id)?.status !== 'merged')
        .map((id) => `${id} is ${store.submission(id)?.status}`),
      ...sent
        .filter((id) => counts.get(id)?.length !== 1)
        .map((id) => `${id} has ${counts.get(id)?.length ?? 0} commits`),
      ...AMENDED.filter((id) => store.artefact('skill', id)?.version !== versionOf(trial, id)),
      ...store.intents().map(({ seq }) => `intent ${seq} waits`),
      ...trial.git('status', '--porcelain', '--untracked-files=no').split('\n').filter(Boolean),
      ...(replayStore(store).equal ? [] : ['the events lead elsewhere']),
      ...trial.git('fsck', '--strict').split('\n').filter(Boolean),
      ...untracked.map((name) => `${name} was left`),
    ];
  } finally {
    close();
  }
}

function versionOf({ corpusDir }: Trial, id: string): string | undefined {
  return /^version: (\S+)/m.exec(readFileSync(join(corpusDir, `skills/${id}/canonical.md`), 'utf8'))?.[1];
}

/** Leftovers of a killed process count as stale after half a minute; this skips the wait. */
function ageLeftovers({ corpusDir }: Trial): void {
  const past = (Date.now() - 60_000) / 1000;
  for (const name of readdirSync(corpusDir, { recursive: true, encoding: 'utf8' })) {
    if (/\.lock$|canonical\.md\.\d+$/.test(name)) utimesSync(join(corpusDir, name), past, past);
  }
}
