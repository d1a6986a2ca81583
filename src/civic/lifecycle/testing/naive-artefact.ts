import type { Status } from '../../config.ts';
import type { ArtefactType } from '../artefact.ts';

export type NaiveAction = { readonly hour: number } & (
  | { readonly kind: 'vote'; readonly verdict: 'confirm' | 'reject'; readonly address: string }
  | { readonly kind: 'flag'; readonly address: string }
  | { readonly kind: 'merge'; readonly editorial: boolean }
  | { readonly kind: 'decide' }
);

/** A naive model of the state table: keeps every vote, and recounts everything every hour. */
export class NaiveArtefact {
  readonly #isRow: boolean;
  #state: Status;
  #before: Status | undefined;
  #entered = 0;
  #hour = 0;
  #votes: { hour: number; address: string; verdict: 'confirm' | 'reject' }[] = [];

  /** The hour in which the salt was created; undefined for the state machine alone, which has no store. */
  #salt: number | undefined;
  readonly #hasSalts: boolean;

  constructor(type: ArtefactType, state: Status, hasSalts = false) {
    this.#hasSalts = hasSalts;
    this.#isRow = type !== 'skill' && type !== 'path';
    this.#state = state;
  }

  seen() {
    return { state: this.#state, enteredHour: this.#entered };
  }

  waitUntil(hour: number): void {
    while (this.#hour < hour) {
      this.#hour++;
      this.#renewSalt();
      this.#look();
    }
  }

  act(action: NaiveAction): void {
    this.waitUntil(action.hour);
    this.#renewSalt();
    if ((action.kind === 'vote' || action.kind === 'flag') && this.#state !== 'draft') this.#salt ??= this.#hour;
    const isLive = this.#state === 'alpha' || this.#state === 'beta' || this.#state === 'stable';
    if (action.kind === 'vote' && isLive && action.address !== 'submitter') {
      this.#votes.push(action);
      this.#look();
    }
    if (action.kind === 'flag' && isLive && action.address !== 'submitter') {
      this.#before = this.#state;
      this.#state = 'quarantined';
      this.#votes = [];
    }
    if (action.kind === 'decide' && this.#state === 'quarantined') {
      this.#state = this.#before as Status;
      this.#votes = [];
    }
    if (action.kind === 'merge' && isLive) {
      this.#votes = [];
      if (this.#state === 'stable' && !action.editorial) this.#enter('beta');
    }
  }

  /** A stable artefact's salt lives thirty days, and its votes go with it. */
  #renewSalt(): void {
    if (!this.#hasSalts || this.#state !== 'stable' || this.#salt === undefined) return;
    if (this.#hour - this.#salt < 720) return;
    this.#salt = undefined;
    this.#votes = [];
  }

  #look(): void {
    const latest = this.#votes.filter(
      (vote, index) => !this.#votes.slice(index + 1).some((later) => later.address === vote.address),
    );
    const c = latest.filter((vote) => vote.verdict === 'confirm').length;
    const r = latest.filter((vote) => vote.verdict === 'reject').length;
    const month = latest.filter((vote) => this.#hour - vote.hour <= 720);
    const monthRejects = month.filter((vote) => vote.verdict === 'reject').length;
    const days = new Set(latest.map((vote) => Math.floor(vote.hour / 24))).size;
    const hours = this.#hour - this.#entered;
    if (this.#state === 'alpha') {
      if (r >= 3 && 4 * c < c + r) this.#enter('draft', true);
      else if (c >= (this.#isRow ? 2 : 3) && 4 * c >= 3 * (c + r) && hours >= 24 && days >= 2)
        this.#enter('beta', false);
    } else if (this.#state === 'beta') {
      if (monthRejects >= 3 && 2 * c < c + r) this.#enter('alpha', true);
      else if (hours >= 336 && (this.#isRow ? c >= 5 && 4 * c >= 3 * (c + r) : c >= 8 && wilsonBySearch(c, r) >= 0.6))
        this.#enter('stable', true);
    } else if (this.#state === 'stable') {
      if (monthRejects >= 3 && 5 * monthRejects >= 2 * month.length) this.#enter('beta', true);
    }
  }

  #enter(state: Status, forgets = true): void {
    this.#state = state;
    this.#entered = this.#hour;
    if (forgets) this.#votes = [];
    if (state === 'stable') this.#salt = undefined;
  }
}

/** The smallest share that these votes do not contradict at 95 %, by bisection. */
function wilsonBySearch(c: number, r: number): number {
  const n = c + r;
  let [low, high] = [0, c / n];
  for (let i = 0; i < 60; i++) {
    const p = (low + high) / 2;
    if ((c / n - p) ** 2 > (1.959964 ** 2 * p * (1 - p)) / n) low = p;
    else high = p;
  }
  return high;
}
