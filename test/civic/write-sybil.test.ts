import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applyEvent } from '../../src/civic/lifecycle/apply-event.ts';
import type { Artefact } from '../../src/civic/lifecycle/artefact.ts';
import { nextDecisionAt } from '../../src/civic/lifecycle/decide-transition.ts';
import type { LifecycleChange } from '../../src/civic/lifecycle/events.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { createWriteRoom } from '../../src/store/civic/testing/write-room.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-11-02T00:00:00Z');
const DAYS_MAX = 60;

/**
 * A person who controls so many addresses promotes an artefact of theirs while so many honest addresses reject it on
 * the day after it became visible. The attacker plays as well as the rules allow: one confirm before the honest votes, the
 * others as soon as they help. The day on which the artefact is stable; undefined: never within two months.
 */
function attack(type: 'skill' | 'reference', addresses: number, honest: number): number | undefined {
  let artefact = step(undefined, START, { kind: 'adopted', version: '0.1.0', state: 'alpha' }, type);
  let used = 0;
  let seq = 1;
  const vote = (verdict: 'confirm' | 'reject', at: number) => {
    artefact = step(artefact, at, { kind: 'vote', verdict, counted: true }, type, ++seq);
  };
  for (let n = 0; n < addresses - 1; n++, used++) vote('confirm', START);
  for (let day = 1; day <= DAYS_MAX; day++) {
    const now = START + day * DAY;
    if (day === 1) {
      for (let n = 0; n < honest; n++) vote('reject', now - 1);
      if (used < addresses) {
        vote('confirm', now);
        used++;
      }
    }
    const due = nextDecisionAt(artefact, now - DAY);
    if (due !== undefined && due <= now) artefact = step(artefact, now, { kind: 'evaluated' }, type, ++seq);
    if (artefact.state === 'stable') return day;
  }
  return undefined;
}

function step(
  before: Artefact | undefined,
  at: number,
  change: LifecycleChange,
  type: 'skill' | 'reference',
  seq = 1,
): Artefact {
  return applyEvent(before, { ...change, seq, at, type, id: 'bad' });
}

/** The smallest number of addresses that succeeds, and the days it takes. */
function cost(type: 'skill' | 'reference', honest: number): { addresses: number; days: number } {
  for (let addresses = 1; addresses < 200; addresses++) {
    const days = attack(type, addresses, honest);
    if (days !== undefined) return { addresses, days };
  }
  throw new Error('no number of addresses is enough');
}

const HONEST = [0, 1, 2, 3, 5, 10];

test.each([
  [7, 15, 'beta'],
  [8, 14, 'beta'],
  [8, 15, 'stable'],
])(
  'through the routes, %i addresses bring a skill in %i days to %s [civic:L3] [civic:L4]',
  async (addresses, days, reached) => {
    const room = await createWriteRoom();
    try {
      const { cast, state } = look(() => room);
      await cast('confirm', addresses - 1);
      await room.wait(DAY);
      await cast('confirm', 1);
      await room.wait((days - 1) * DAY);
      expect(state('skill', 'sample-move')).toBe(reached);
    } finally {
      await room.close();
    }
  },
);

test('the guide states what it costs to promote a bad artefact, and the machine agrees [civic:L3] [civic:L4]', () => {
  const rows = HONEST.map((honest) => {
    const skill = cost('skill', honest);
    const row = cost('reference', honest);
    return `| ${honest} | ${skill.addresses} × ${skill.days} | ${row.addresses} × ${row.days} |`;
  });
  const guide = readFileSync(new URL('../../docs/guides/civic.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
});

test('each honest reject costs the attacker more than one address', () => {
  const needed = HONEST.map((honest) => cost('skill', honest).addresses);
  const growth = needed
    .slice(1)
    .map(
      (addresses, index) =>
        (addresses - (needed[index] as number)) / ((HONEST[index + 1] as number) - (HONEST[index] as number)),
    );
  expect(growth.every((perReject) => perReject > 1)).toBe(true);
});
