import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ServerStatus } from '../../host/connection/supervision/server-set.ts';
import { UP_LIMITS } from '../limits.ts';
import { ServerHistory } from './server-history.ts';

class Statuses extends EventEmitter {
  status(): readonly ServerStatus[] {
    return [status('connecting')];
  }

  come(state: ServerStatus['state'], reason?: string): void {
    this.emit('status', status(state, reason));
  }
}

function status(state: ServerStatus['state'], reason?: string): ServerStatus {
  return { id: 'notes', state, reason } as ServerStatus;
}

function open() {
  let now = 0;
  const statuses = new Statuses();
  return {
    statuses,
    history: new ServerHistory(statuses, () => {
      now += 1_000;
      return now;
    }),
  };
}

test('a state that a server came into is noted once, with its reason', () => {
  const { statuses, history } = open();
  statuses.come('ready');
  statuses.come('ready', 'listed again');
  statuses.come('error', 'it ended');
  expect(history.of('notes')).toEqual([
    { time: '1970-01-01T00:00:01.000Z', state: 'connecting', reason: null },
    { time: '1970-01-01T00:00:02.000Z', state: 'ready', reason: null },
    { time: '1970-01-01T00:00:03.000Z', state: 'error', reason: 'it ended' },
  ]);
});

test('only so many are kept, and none of a server that was taken out', () => {
  const { statuses, history } = open();
  for (let turn = 0; turn < UP_LIMITS.serverMomentsMax; turn += 1) statuses.come(turn % 2 === 0 ? 'ready' : 'error');
  const kept = history.of('notes').length;
  statuses.come('disabled');
  expect([kept, history.of('notes'), history.of('other')]).toEqual([UP_LIMITS.serverMomentsMax, [], []]);
});
