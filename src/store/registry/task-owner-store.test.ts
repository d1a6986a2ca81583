import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { STORE_LIMITS } from '../limits.ts';
import { SqliteTaskOwners } from './task-owner-store.ts';

test('the owner of a task is found by server and id, even after a restart', () => {
  const database = new DatabaseSync(':memory:');
  new SqliteTaskOwners(database, () => 1).claim('db', 'task-1', 'ada');
  const owners = new SqliteTaskOwners(database, () => 2);
  expect(
    ['task-1', ' task-1', 'task-1 ', 'Task-1', 'task-1\0', '', 'task-2'].map((id) => owners.isOwner('db', id, 'ada')),
  ).toEqual([true, ...Array.from({ length: 6 }, () => false)]);
  expect([owners.isOwner('db2', 'task-1', 'ada'), owners.isOwner('', 'dbtask-1', 'ada')]).toEqual([false, false]);
});

test('the first caller keeps an id until its time is over, even if the server hands it out again', () => {
  let now = 1;
  const owners = new SqliteTaskOwners(new DatabaseSync(':memory:'), () => now);
  const held = () => ['ada', 'bob'].map((caller) => owners.isOwner('db', 'task-1', caller));
  expect([owners.claim('db', 'task-1', 'ada'), owners.claim('db', 'task-1', 'bob'), held()]).toEqual([
    true,
    false,
    [true, false],
  ]);
  now = STORE_LIMITS.taskOwnedMs;
  expect([owners.claim('db', 'task-1', 'bob'), held()]).toEqual([false, [true, false]]);
  now += 1;
  expect([owners.claim('db', 'task-1', 'bob'), held()]).toEqual([true, [false, true]]);
});

test('callers with connections of their own may have tasks with the same id', () => {
  const owners = new SqliteTaskOwners(new DatabaseSync(':memory:'), () => 1);
  expect([owners.claim('db', '1', 'ada', true), owners.claim('db', '1', 'bob', true)]).toEqual([true, true]);
  expect(['ada', 'bob', 'eve'].map((caller) => owners.isOwner('db', '1', caller))).toEqual([true, true, false]);
});

test('one caller’s tasks evict its own oldest, and no other caller’s', () => {
  let now = 0;
  const owners = new SqliteTaskOwners(new DatabaseSync(':memory:'), () => {
    now += 1;
    return now;
  });
  owners.claim('db', 'ada-1', 'ada');
  const max = STORE_LIMITS.tasksPerOwnerMax;
  for (let count = 0; count <= max; count += 1) owners.claim('db', `bob-${count}`, 'bob');
  expect(['bob-0', 'bob-1', `bob-${max}`].map((id) => owners.isOwner('db', id, 'bob'))).toEqual([false, true, true]);
  expect(owners.isOwner('db', 'ada-1', 'ada')).toBe(true);
});
