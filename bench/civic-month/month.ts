import { address } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, HOUR } from '../../src/store/civic/testing/write-room.ts';
import { ATTACKS, type Harm, harmfulReport } from './attacks.ts';
import type { Shown } from './changes.ts';
import { type Defence, without } from './defences.ts';
import { Dice } from './dice.ts';
import { honestChange, honestReport } from './honest-changes.ts';
import { Maintainer } from './maintainer.ts';
import { type CorpusSize, monthCorpus } from './month-corpus.ts';
import { type MonthReport, reportOf } from './report.ts';
import { type Sent, type StagedChange, World } from './world.ts';

export interface MonthOptions {
  readonly seed: number;
  readonly days: number;
  /** Days after the last new change, in which pending changes finish. */
  readonly drainDays: number;
  readonly size: CorpusSize;
  readonly honest: number;
  /** How many attackers there are of each kind. */
  readonly attackers: Readonly<Record<Harm, number>>;
  /** Addresses of the ring. */
  readonly ringAddresses: number;
  readonly without?: Defence;
  /** Additional concerns that each spammer sends to the artefact of the day. */
  readonly flood?: number;
}

const START = Date.parse('2026-11-01T00:00:00.000Z');
/** The simulation advances in steps of this length; all actors act at these steps. */
const TICK_HOURS = 4;
const TICKS = 24 / TICK_HOURS;
const MAINTAINER_TICK = 4;
/** The behaviour of honest agents: probabilities and counts. */
const HABITS = {
  active: 0.3,
  amends: 0.25,
  reports: 0.08,
  notices: 0.85,
  judgesStaged: 4,
  reads: 2,
  tries: 3,
} as const;
const ATTACKS_PER_DAY = 2;
const ATTACK_DAYS = 0.6;

/** An honest change until it is merged, over all tries of its author. */
export interface HonestChange {
  readonly agent: number;
  readonly target: Pick<Shown, 'type' | 'id'>;
  readonly firstAt: number;
  tries: number;
  sent: Sent | undefined;
  mergedAt?: number;
}

/** Runs a month against the room's own routes, store and folder, on a clock that the month moves. */
export async function runMonth(options: MonthOptions): Promise<MonthReport> {
  return without(options.without, async ({ hidesStaged = false, scrub }) => {
    const files = monthCorpus(options.size);
    const room = await createWriteRoom({ files, now: START, seed: `month ${options.seed}`, ...(scrub && { scrub }) });
    try {
      const month = new Month(options, new World(room, hidesStaged));
      for (let day = 0; day < options.days + options.drainDays; day++) await month.day(day < options.days);
      return reportOf(month);
    } finally {
      await room.close();
    }
  });
}

export class Month {
  readonly world: World;
  readonly maintainer: Maintainer;
  readonly changes: HonestChange[] = [];
  /** Total hours in which good artefacts were not served. */
  hoursAway = 0;
  readonly options: MonthOptions;
  readonly #dice: Dice;
  #staged: readonly StagedChange[] = [];
  #count = 0;

  constructor(options: MonthOptions, world: World) {
    this.options = options;
    this.world = world;
    this.maintainer = new Maintainer(world);
    this.#dice = new Dice(options.seed);
  }

  async day(isOpen: boolean): Promise<void> {
    const plan = this.#plan(isOpen);
    for (let tick = 0; tick < TICKS; tick++) {
      this.#staged = await this.world.staged();
      for (const act of plan[tick] ?? []) await act();
      if (tick === MAINTAINER_TICK) await this.maintainer.decideAll();
      await this.world.room.wait(TICK_HOURS * HOUR);
      this.world.look();
      this.#countAway();
    }
    this.maintainer.endDay();
  }

  /** Who does what at which hour of the day. */
  #plan(isOpen: boolean): (() => Promise<void>)[][] {
    const plan: (() => Promise<void>)[][] = Array.from({ length: TICKS }, () => []);
    const add = (act: () => Promise<void>) => plan[this.#dice.below(TICKS)]?.push(act);
    for (let agent = 0; agent < this.options.honest; agent++) {
      if (this.#dice.chance(HABITS.active)) add(() => this.#actHonestly(agent, isOpen));
    }
    let attacker = 0;
    for (const [harm, count] of Object.entries(this.options.attackers) as [Harm, number][]) {
      for (let n = 0; n < count; n++, attacker++) {
        const [who, isFew] = [attacker, n % 2 === 0];
        if (this.#dice.chance(ATTACK_DAYS)) add(() => this.#attack(harm, who, isFew));
      }
    }
    if (this.options.attackers.ring > 0) {
      for (let tick = 0; tick < TICKS; tick += 3) plan[tick]?.push(() => this.#ring());
    }
    return plan;
  }

  async #actHonestly(agent: number, isOpen: boolean): Promise<void> {
    const from = address(agent);
    for (const key of this.#dice.sample(this.world.artefacts, HABITS.reads)) await this.#read(from, key);
    for (const staged of this.#dice.sample(this.#staged, HABITS.judgesStaged)) await this.#judge(from, staged);
    for (const change of this.changes) if (change.agent === agent) await this.#tryAgain(from, change);
    if (isOpen && this.#dice.chance(HABITS.amends)) {
      const change: HonestChange = {
        agent,
        target: this.#dice.pick(this.world.artefacts),
        firstAt: this.world.now,
        tries: 0,
        sent: undefined,
      };
      if (this.world.isServed(change.target)) this.changes.push(change);
      await this.#tryAgain(from, change);
    }
    if (isOpen && this.#dice.chance(HABITS.reports)) {
      await this.world.report(
        from,
        this.#dice.pick(this.world.artefacts),
        honestReport(++this.#count, this.#dice),
        undefined,
      );
    }
  }

  /** Sends a change, or sends it again for the current text if it was refused. */
  async #tryAgain(from: string, change: HonestChange): Promise<void> {
    const status = change.sent && this.world.room.deps.store.submission(change.sent.id)?.status;
    if (status === 'merged') change.mergedAt ??= this.world.now;
    const isUnderWay = status !== undefined && status !== 'rejected';
    const shown = this.world.shown(change.target);
    if (isUnderWay || change.tries >= HABITS.tries || !shown) return;
    change.tries++;
    change.sent = await this.world.amend(from, honestChange(shown, ++this.#count, this.#dice), undefined);
  }

  /** A reader confirms an artefact, or rejects it if something is wrong. */
  async #read(from: string, key: Pick<Shown, 'type' | 'id'>): Promise<void> {
    const shown = this.world.shown(key);
    if (!shown) return;
    const wrong = this.world.harmOn(key).filter(() => this.#dice.chance(HABITS.notices));
    for (const sent of wrong) {
      sent.reportedAt ??= this.world.now;
      if (sent.type === 'concern') {
        await this.world.validate(from, { type: 'concern', id: sent.id, version: '1.0.0' }, 'reject', true);
      } else await this.world.validate(from, shown, 'reject', sent.harm === 'injection');
    }
    if (wrong.length === 0 && this.#dice.chance(0.5)) await this.world.validate(from, shown, 'confirm');
  }

  async #judge(from: string, { submission_id: id, base_version: version }: StagedChange): Promise<void> {
    const harm = this.world.sent.get(id)?.harm;
    if (!this.#dice.chance(HABITS.notices)) return;
    const verdict = harm === undefined ? 'confirm' : 'reject';
    await this.world.validate(from, { type: 'amendment', id, version }, verdict, harm === 'injection');
  }

  /** `isFew`: always from one address; otherwise from one of 400 each time. */
  async #attack(harm: Harm, who: number, isFew: boolean): Promise<void> {
    const from = () => (isFew ? address(10_000 + who) : address(20_000 + this.#dice.below(400)));
    if (harm === 'spam') {
      await this.#spam(from);
      return;
    }
    for (let n = 0; n < ATTACKS_PER_DAY; n++) {
      const target = this.#dice.pick(this.world.artefacts);
      const shown = this.world.shown(target);
      if (!shown) continue;
      const sender = harm === 'ring' ? this.#ringAddress(this.#dice.below(this.options.ringAddresses)) : from();
      await this.world.amend(sender, ATTACKS[harm](shown, ++this.#count, this.#dice), harm);
      if (harm !== 'ring') {
        await this.world.report(from(), target, harmfulReport(harm, ++this.#count, this.#dice), harm);
      }
    }
  }

  /** Sends as much as it can; from few addresses the limits of a day stop it. */
  async #spam(from: () => string): Promise<void> {
    for (let n = 0; n < 8; n++) {
      const text = harmfulReport('spam', ++this.#count, this.#dice);
      await this.world.feedback(from(), text, 'spam');
      await this.world.report(from(), this.#dice.pick(this.world.artefacts), text, 'spam');
      if (n < 3) await this.world.draft(from(), this.#count, 'spam');
    }
    await this.#floodTarget(from);
  }

  /** All spammers of a day flood the same artefact, half of the time with the same words. */
  async #floodTarget(from: () => string): Promise<void> {
    const day = Math.floor(this.world.now / DAY);
    const target = this.world.artefacts[day % this.world.artefacts.length] as Pick<Shown, 'type' | 'id'>;
    for (let n = 0; n < (this.options.flood ?? 0); n++) {
      const count = n % 2 === 0 ? day : ++this.#count;
      await this.world.report(from(), target, harmfulReport('spam', count, this.#dice), 'spam');
    }
  }

  #ringAddress(n: number): string {
    return address(30_000 + n);
  }

  /** The ring confirms its own changes, rejects those of others, and flags good artefacts. */
  async #ring(): Promise<void> {
    const members = Array.from({ length: this.options.ringAddresses }, (_, n) => this.#ringAddress(n));
    const own = this.#staged.filter(({ submission_id }) => this.world.sent.get(submission_id)?.harm === 'ring');
    for (const { submission_id: id, base_version: version } of own) {
      for (const from of this.#dice.sample(members, 4)) {
        await this.world.validate(from, { type: 'amendment', id, version }, 'confirm');
      }
    }
    const others = this.#staged.filter(({ submission_id }) => this.world.sent.get(submission_id)?.harm === undefined);
    for (const { submission_id: id, base_version: version } of this.#dice.sample(
      others,
      Math.ceil(members.length / 8),
    )) {
      for (const from of this.#dice.sample(members, 4)) {
        await this.world.validate(from, { type: 'amendment', id, version }, 'reject');
      }
    }
    for (const key of this.#dice.sample(this.world.artefacts, Math.ceil(members.length / 4))) {
      const shown = this.world.shown(key);
      if (!shown) continue;
      for (const from of this.#dice.sample(members, 2)) await this.world.validate(from, shown, 'reject', true);
    }
  }

  #countAway(): void {
    const away = this.world.artefacts.filter((key) => !this.world.isServed(key)).length;
    this.hoursAway += away * TICK_HOURS;
  }
}
