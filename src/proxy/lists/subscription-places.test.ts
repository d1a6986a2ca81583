import { expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { SubscriptionPlaces } from './subscription-places.ts';

const { subscriptionsMax, subscriptionsPerCallerMax, subscribedUriCharsMax } = PROXY_LIMITS;

function fill(places: SubscriptionPlaces, holder: string, caller: string, count: number): (string | undefined)[] {
  return Array.from({ length: count }, (_, at) => places.take(holder, caller, `note://${at}`)).filter(Boolean);
}

test('a session has so many subscriptions and no more, and a resource counts once', () => {
  const places = new SubscriptionPlaces();
  expect(fill(places, 's', 'ada', subscriptionsMax)).toEqual([]);
  expect(places.take('s', 'ada', 'note://0')).toBeUndefined();
  expect(places.take('s', 'ada', 'note://more')).toMatch(/subscriptions already/);
  places.giveBack('s', 'note://0');
  places.giveBack('s', 'note://0');
  expect(places.take('s', 'ada', 'note://more')).toBeUndefined();
  expect(places.take('s', 'ada', 'note://0')).toMatch(/subscriptions already/);
});

test('a caller has so many in all sessions, another caller has its own, and an ended session gives all back', () => {
  const places = new SubscriptionPlaces();
  const sessions = subscriptionsPerCallerMax / subscriptionsMax;
  for (let at = 0; at < sessions; at += 1) expect(fill(places, `s${at}`, 'ada', subscriptionsMax)).toEqual([]);
  expect(places.take('next', 'ada', 'note://0')).toMatch(/the caller has/);
  expect(places.take('other', 'bob', 'note://0')).toBeUndefined();
  places.release('s0');
  places.release('s0');
  expect(fill(places, 'next', 'ada', subscriptionsMax)).toEqual([]);
  expect(places.take('last', 'ada', 'note://0')).toMatch(/the caller has/);
});

test('a URI of the maximum length has a place, a longer one has none', () => {
  const places = new SubscriptionPlaces();
  expect(places.take('s', 'ada', 'a'.repeat(subscribedUriCharsMax))).toBeUndefined();
  expect(places.take('s', 'ada', 'a'.repeat(subscribedUriCharsMax + 1))).toMatch(/characters/);
});
