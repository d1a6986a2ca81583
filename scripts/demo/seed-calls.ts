import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AuditEntry, Outcome } from '../../src/gateway/audit/audit-record.ts';
import { AuditFile } from '../../src/store/audit/audit-file.ts';

/** A tool of the sample servers, how often it is called, and how long it takes. */
interface Habit {
  readonly server: string;
  readonly tool: string;
  readonly share: number;
  readonly us: number;
  readonly fails: number;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const HABITS: readonly Habit[] = [
  { server: 'notes', tool: 'read_note', share: 30, us: 2_400, fails: 0.02, arguments: { name: 'ideas' } },
  { server: 'notes', tool: 'search_notes', share: 22, us: 3_900, fails: 0, arguments: { word: 'river' } },
  { server: 'weather', tool: 'forecast', share: 20, us: 41_000, fails: 0.03, arguments: { town: 'Northbridge' } },
  { server: 'notes', tool: 'list_notes', share: 10, us: 1_600, fails: 0, arguments: {} },
  {
    server: 'context',
    tool: 'context.resolve',
    share: 9,
    us: 7_200,
    fails: 0,
    arguments: { cache: 'handbook', query: 'approvals', budget: 800 },
  },
  {
    server: 'printer',
    tool: 'print_page',
    share: 4,
    us: 12_000,
    fails: 1,
    arguments: { content: 'minutes of the meeting' },
  },
  { server: 'weather', tool: 'sun_times', share: 3, us: 28_000, fails: 0, arguments: { town: 'Eastmere' } },
  { server: 'notes', tool: 'delete_note', share: 2, us: 0, fails: 0, arguments: { name: 'shopping' } },
];
const CLIENTS = ['sample-writer', 'sample-planner', 'sample-desk'];
const HOUR_MS = 3_600_000;
const CALLS = 1_400;

/** Pseudo-random numbers, the same in each run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function pick(draw: number): Habit {
  const total = HABITS.reduce((sum, { share }) => sum + share, 0);
  let left = draw * total;
  for (const habit of HABITS) {
    left -= habit.share;
    if (left < 0) return habit;
  }
  return HABITS[0] as Habit;
}

/** Writes an hour of invented calls to the chain of the gateway; each names its client as sample. */
export function seedCalls(dataDir: string, now: number): void {
  const file = new AuditFile({ file: join(dataDir, 'audit-0.db'), chain: 'local/0', fsync: false });
  const next = sequence(7_717);
  const times = Array.from({ length: CALLS }, (_, index) => {
    const share = index / CALLS;
    // Busier towards the end, with a wave in between.
    const bent = share + 0.06 * Math.sin(share * 3 * Math.PI);
    return now - HOUR_MS + Math.min(0.998, Math.max(0, bent)) * HOUR_MS + next() * 1_500;
  }).sort((a, b) => a - b);
  file.append(
    times.map((time, index) => callAt(time, index, next)),
    [],
  );
  file.close();
}

function callAt(time: number, index: number, next: () => number): AuditEntry {
  const habit = pick(next());
  const isDenied = habit.tool === 'delete_note';
  const outcome: Outcome = isDenied ? 'denied' : next() < habit.fails ? 'tool_error' : 'ok';
  const upstream = Math.round(habit.us * (0.6 + next() + (next() > 0.96 ? 6 * next() : 0)));
  const queue = Math.round(60 + next() * 140);
  const client = CLIENTS[Math.floor(next() * CLIENTS.length)] as string;
  return {
    kind: 'call',
    phase: 'single',
    call_id: idOf(time, index),
    time: new Date(time).toISOString(),
    caller: 'local',
    client: { name: client, version: '1.0.0' },
    profile: 'default',
    session: `sample-${client.length}${index % 3}`,
    server: habit.server,
    tool: habit.tool,
    name: `${habit.server}__${habit.tool}`,
    arguments: habit.arguments,
    arguments_sha256: digest(JSON.stringify(habit.arguments)),
    decision: isDenied ? 'deny' : 'allow',
    rule: { rule: isDenied ? 'tool_not_listed' : 'tool_listed' },
    outcome,
    ...(isDenied
      ? { total_us: 180 }
      : {
          result_type: 'complete',
          result_bytes: Math.round(120 + next() * 900),
          result_sha256: digest(`${time} ${index}`),
          queue_us: queue,
          upstream_us: upstream,
          total_us: queue + upstream + Math.round(150 + next() * 200),
        }),
  };
}

/** A UUIDv7 of that time. */
function idOf(time: number, index: number): string {
  const stamp = Math.floor(time).toString(16).padStart(12, '0');
  const rest = digest(`sample ${index}`);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
