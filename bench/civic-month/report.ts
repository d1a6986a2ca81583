import { HARMS, type Harm } from './attacks.ts';
import type { Month } from './month.ts';
import type { Sent, World } from './world.ts';

const HOUR_MS = 3_600_000;

/** The results of harmful texts of one kind. */
export interface HarmReport {
  /** Stored, whatever the outcome; the rest was refused at once. */
  readonly taken: number;
  /** Seen by readers. */
  readonly served: number;
  /** Hours that these were visible: median and longest. */
  readonly medianHours: number;
  readonly longestHours: number;
  /** The longest time from a reader's reject to its end, in hours. */
  readonly reviewHours: number;
}

/** Merged honest changes, and the hours from sending to merging: median and longest. */
export interface MergedReport {
  readonly merged: number;
  readonly medianHours: number;
  readonly longestHours: number;
}

export interface MonthReport {
  readonly honest: {
    readonly changes: number;
    readonly merged: number;
    readonly share: number;
    /** Changes that merged alone, that waited because of a new sentence of a topic, and that waited for another protected field. */
    readonly alone: MergedReport;
    readonly topics: MergedReport;
    readonly others: MergedReport;
  };
  readonly amendments: Readonly<Record<Harm, HarmReport>>;
  readonly concerns: Readonly<Record<Harm, HarmReport>>;
  /** The longest of all harmful changes. */
  readonly reviewHours: number;
  readonly decisions: {
    readonly perDay: number;
    readonly mostInADay: number;
    readonly byClass: Readonly<Record<string, number>>;
  };
  /** The most spam concerns listed about one artefact at once. */
  readonly mostSpam: number;
  /** Artefacts that were not served, on average over the month. */
  readonly away: number;
  readonly answers: Readonly<Record<string, number>>;
}

export function reportOf({ world, maintainer, changes, options, hoursAway }: Month): MonthReport {
  const merged = changes.flatMap(({ sent }) =>
    sent && world.room.deps.store.submission(sent.id)?.status === 'merged' ? [sent] : [],
  );
  const byCause = Map.groupBy(merged, ({ fields }) =>
    fields.length === 0 ? 'alone' : fields.some((field) => field.startsWith('topic_')) ? 'topics' : 'others',
  );
  const byHarm = (type: Sent['type']) =>
    Object.fromEntries(
      HARMS.map((harm) => [harm, harmReport(world, (sent) => sent.type === type && sent.harm === harm)]),
    ) as Record<Harm, HarmReport>;
  const days = options.days + options.drainDays;
  const total = maintainer.perDay.reduce((sum, count) => sum + count, 0);
  const amendments = byHarm('amendment');
  return {
    honest: {
      changes: changes.length,
      merged: merged.length,
      share: changes.length === 0 ? 1 : merged.length / changes.length,
      alone: mergedReport(world, byCause.get('alone') ?? []),
      topics: mergedReport(world, byCause.get('topics') ?? []),
      others: mergedReport(world, byCause.get('others') ?? []),
    },
    amendments,
    concerns: byHarm('concern'),
    reviewHours: Math.max(...Object.values(amendments).map(({ reviewHours }) => reviewHours)),
    decisions: {
      perDay: total / days,
      mostInADay: Math.max(0, ...maintainer.perDay),
      byClass: Object.fromEntries([...maintainer.decisions].sort()),
    },
    mostSpam: world.mostSpam,
    away: hoursAway / (days * 24),
    answers: Object.fromEntries([...world.answers].sort()),
  };
}

function mergedReport(world: World, list: readonly Sent[]): MergedReport {
  const hours = list
    .flatMap(({ id, sentAt }) => {
      const merge = world.room.deps.store.amendments.merge(id);
      return merge ? [(merge.mergedAt - sentAt) / HOUR_MS] : [];
    })
    .sort((a, b) => a - b);
  return {
    merged: list.length,
    medianHours: hours[Math.floor(hours.length / 2)] ?? 0,
    longestHours: hours.at(-1) ?? 0,
  };
}

function harmReport(world: World, isMeant: (sent: Sent) => boolean): HarmReport {
  const list = [...world.sent.values()].filter(isMeant);
  const served = list.filter(({ servedAt }) => servedAt !== undefined);
  const hours = served
    .map(({ servedAt = 0, goneAt = world.now }) => (goneAt - servedAt) / HOUR_MS)
    .sort((a, b) => a - b);
  const reviews = served.flatMap(({ reportedAt, goneAt = world.now }) =>
    reportedAt === undefined ? [] : [(goneAt - reportedAt) / HOUR_MS],
  );
  return {
    taken: list.length,
    served: served.length,
    medianHours: hours[Math.floor(hours.length / 2)] ?? 0,
    longestHours: hours.at(-1) ?? 0,
    reviewHours: Math.max(0, ...reviews),
  };
}

const COLUMNS = [
  'without',
  'honest changes merged',
  ...HARMS.filter((harm) => harm !== 'spam').map((harm) => `${harm.replace('_', ' ')} served`),
  'longest hours seen',
  'longest review, hours',
  'harmful concerns listed (injection, phishing, personal data)',
  'decisions a day (most)',
  'artefacts away',
];

export function tableHead(): string {
  return `| ${COLUMNS.join(' | ')} |\n|---|${COLUMNS.slice(1)
    .map(() => '--:')
    .join('|')}|`;
}

/** A month as a row of the table. */
export function monthRow(name: string, report: MonthReport): string {
  const { honest, amendments, concerns, decisions } = report;
  const reports = Object.values(amendments);
  const { injection, phishing, personal_data } = concerns;
  const cells = [
    name,
    `${honest.merged} of ${honest.changes} (${(100 * honest.share).toFixed(1)} %)`,
    ...HARMS.filter((harm) => harm !== 'spam').map((harm) => `${amendments[harm].served} of ${amendments[harm].taken}`),
    Math.max(...reports.map(({ longestHours }) => longestHours)),
    report.reviewHours,
    injection.served + phishing.served + personal_data.served,
    `${decisions.perDay.toFixed(0)} (${decisions.mostInADay})`,
    report.away.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The head of the table about floods of concerns. */
export const FLOOD_HEAD =
  '| without | spam concerns listed | most on one artefact | decisions a day (most) |\n|---|--:|--:|--:|';

export function floodRow(name: string, { concerns, mostSpam, decisions }: MonthReport): string {
  return `| ${name} | ${concerns.spam.served} | ${mostSpam} | ${decisions.perDay.toFixed(0)} (${decisions.mostInADay}) |`;
}
