import type { AuditEntry } from '../../../gateway/audit/audit-record.ts';
import type { AuditFilter } from '../audit-reader.ts';

/** A record without its hashes. */
export type Kept = AuditEntry & { readonly seq: number; readonly chain: string };

/** A naive model of the chain: a list that is scanned for every query. */
export class NaiveChain {
  readonly chain: string;
  kept: Kept[] = [];
  readonly raw = new Map<string, readonly number[]>();
  last = 0;

  constructor(chain: string) {
    this.chain = chain;
  }

  append(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      this.last += 1;
      this.kept.push({ ...entry, seq: this.last, chain: this.chain });
    }
  }

  /** The first arguments of a call win. */
  keepRaw(callId: string, sealed: Uint8Array): void {
    if (!this.raw.has(callId)) this.raw.set(callId, [...sealed]);
  }

  open(): Kept[] {
    const isEnded = (id: string) => this.kept.some(({ phase, call_id }) => phase === 'end' && call_id === id);
    return this.kept.filter(({ phase, call_id }) => phase === 'begin' && !isEnded(call_id));
  }

  /** Removes and returns the records before the first one with a time of at least `before`, with their raw arguments. */
  prune(before: string): Kept[] {
    const from = this.kept.findIndex(({ time }) => time >= before);
    const gone = this.kept.splice(0, from < 0 ? this.kept.length : from);
    for (const { call_id } of gone) this.raw.delete(call_id);
    return gone;
  }

  /** Calls for display: begin and end records merged. */
  calls() {
    return this.kept.filter(({ phase }) => phase !== 'end').map((begun) => this.#joined(begun));
  }

  #joined({ phase: _phase, ...begun }: Kept) {
    const end = this.kept.find(({ phase, call_id }) => phase === 'end' && call_id === begun.call_id);
    const { kind: _k, phase: _p, call_id: _c, time: _t, seq: _s, chain: _n, ...ending } = end ?? ({} as Kept);
    return { ...begun, ...ending };
  }

  /** The calls of the end records in a range, in their order. */
  callsEnded(after: number, through = this.last): (NaiveCall | undefined)[] {
    return this.kept
      .filter(({ phase, seq }) => phase !== 'begin' && seq > after && seq <= through)
      .map(({ call_id }) => this.calls().find((call) => call.call_id === call_id));
  }
}

export type NaiveCall = Omit<Kept, 'phase'>;

/** The outcome group of a call that did not succeed. */
function naiveGroup({ outcome, rule }: NaiveCall): string | undefined {
  if (outcome === 'denied') return rule?.rule === 'approval_pending' ? 'undecided' : 'refused';
  if (outcome === 'rate_limited' || outcome === 'breaker_open') return 'refused';
  return outcome === undefined || outcome === 'ok' ? undefined : 'failed';
}

/** Whether a call matches a filter; texts are searched in the begin record only. */
export function fits(call: NaiveCall, { since, until, q, profiles, outcome, ...equal }: AuditFilter): boolean {
  return (
    (outcome === undefined || outcome === call.outcome || outcome === naiveGroup(call)) &&
    (since === undefined || call.time >= since) &&
    (until === undefined || call.time < until) &&
    (q === undefined || JSON.stringify([call.server, call.tool, call.arguments]).includes(q)) &&
    (profiles === undefined || profiles.includes(call.profile ?? '')) &&
    Object.entries(equal).every(([name, value]) => value === undefined || call[name as 'kind'] === value)
  );
}
