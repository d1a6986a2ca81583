import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { STORE_LIMITS } from '../limits.ts';
import { SqliteTaskOwners } from './task-owner-store.ts';

test('the owner of a task is found by server and id, even after a restart', () => {
  const database = new DatabaseSync(':memory:');
  new SqliteTaskOwners(database, () => 1).keep('db', 'task-1', 'ada');
  const owners = new SqliteTaskOwners(database, () => 2);
  expect(
    ['task-1', ' task-1', 'task-1 ', 'Task-1', 'task-1\0', '', 'task-2'].map((id) => owners.ownerOf('db', id)),
  ).toEqual(['ada', ...Array.from({ length: 6 }, () => undefined)]);
  expect([owners.ownerOf('db2', 'task-1'), owners.ownerOf('', 'dbtask-1')]).toEqual([undefined, undefined]);
  owners.keep('db', 'task-1', 'bob');
  expect(owners.ownerOf('db', 'task-1')).toBe('bob');
});

test('one caller’s tasks evict its own oldest, and no other caller’s', () => {
  let now = 0;
  const owners = new SqliteTaskOwners(new DatabaseSync(':memory:'), () => {
    now += 1;
    return now;
  });
  owners.keep('db', 'ada-1', 'ada');
  const max = STORE_LIMITS.tasksPerOwnerMax;
  for (let count = 0; count <= max; count += 1) owners.keep('db', `bob-${count}`, 'bob');
  expect(['ada-1', 'bob-0', 'bob-1', `bob-${max}`].map((id) => owners.ownerOf('db', id))).toEqual([
    'ada',
    undefined,
    'bob',
    'bob',
  ]);
});
