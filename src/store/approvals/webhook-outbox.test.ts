import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { STORE_LIMITS } from '../limits.ts';
import { ApprovalStore } from './approval-store.ts';
import { type Delivery, WebhookOutbox } from './webhook-outbox.ts';

const at = (ms: number) => new Date(ms).toISOString();

function open() {
  const database = new DatabaseSync(':memory:');
  new ApprovalStore(database);
  const outbox = new WebhookOutbox(database);
  /** Writes down that an approval has this status. */
  const setStatus = (id: string, status: string) =>
    database
      .prepare(
        `INSERT OR REPLACE INTO approvals(id, status, caller, profile, server, tool, arguments_sha256, created_at, expires_at, body)
         VALUES (?, ?, '', '', '', '', '', '', '', '{}')`,
      )
      .run(id, status);
  return { outbox, setStatus };
}

test('messages are delivered in the order in which they are due, once per approval and address, until they are of no use', () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const dice = new Dice(seed);
    const { outbox, setStatus } = open();
    let naive: (Delivery & { due: number; expires: number })[] = [];
    const decided = new Set<string>();
    const isSame = (one: Delivery, other: Delivery) => one.approval_id === other.approval_id && one.url === other.url;
    for (let now = 0; now < 60; now += 1) {
      const message = { approval_id: `a${dice.below(4)}`, url: `u${dice.below(2)}`, body: String(now), attempts: 0 };
      const kind = dice.below(4);
      if (kind === 0) {
        const expires = now + 1 + dice.below(20);
        expect(outbox.add(message, at(expires), now)).toBe(true);
        if (!naive.some((one) => isSame(one, message))) naive.push({ ...message, due: now, expires });
      } else if (kind === 1 && dice.chance(0.3)) {
        setStatus(message.approval_id, dice.pick(['approved', 'expired']));
        decided.add(message.approval_id);
      } else if (kind === 1) {
        setStatus(message.approval_id, 'pending');
        decided.delete(message.approval_id);
      } else {
        naive = naive.filter((one) => one.expires > now && !decided.has(one.approval_id));
        const [first] = naive
          .filter(({ due }) => due <= now)
          .sort((a, b) => a.due - b.due || a.approval_id.localeCompare(b.approval_id));
        const next = outbox.next(now);
        expect([next?.approval_id, next?.body !== undefined]).toEqual([first?.approval_id, first !== undefined]);
        const same = next && naive.find((one) => isSame(one, next));
        if (next && same) {
          expect([same.body, same.attempts, same.due]).toEqual([next.body, next.attempts, first?.due]);
          if (kind === 2) {
            outbox.retry(next, now + 5);
            Object.assign(same, { attempts: same.attempts + 1, due: now + 5 });
          } else {
            outbox.remove(next);
            naive = naive.filter((one) => one !== same);
          }
        }
      }
      const soonest = naive.length === 0 ? undefined : Math.min(...naive.map(({ due }) => due));
      expect(outbox.nextDueMs()).toBe(soonest);
    }
  }
});

test('as many wait as may, and one more is not taken', () => {
  const { outbox } = open();
  const add = (n: number) => outbox.add({ approval_id: `a${n}`, url: 'u', body: '' }, at(1), 0);
  for (let n = 1; n < STORE_LIMITS.webhookOutboxMax; n += 1) add(n);
  expect([add(0), add(-1), outbox.next(0)?.attempts]).toEqual([true, false, 0]);
});
