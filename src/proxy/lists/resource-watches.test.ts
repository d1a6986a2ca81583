import { expect, test } from 'vitest';
import type { CallUpstream } from '../../wire/upstream.ts';
import type { Client } from '../message/client.ts';
import { noticeFor } from './change-feed.ts';
import { ResourceWatches } from './resource-watches.ts';

const client = (key: string) => ({ key }) as Client;
const notice = (owner?: string) => ({
  server: 'wiki',
  key: undefined,
  ...(owner === undefined ? {} : { owner }),
  method: 'notifications/resources/updated',
  params: { uri: 'note://1' },
});

test('notifications on one user’s connection reach only that user’s clients [gateway:WHO12] [gateway:L3]', async () => {
  const subscribed: (string | undefined)[] = [];
  const watches = new ResourceWatches(async (_server, _signal, owner) => {
    subscribed.push(owner);
    return { era: '2026', listen: () => ({ close: () => {} }) } as unknown as CallUpstream;
  });
  const seen = { ports: { watches }, views: { viewFor: () => ({ publicUri: (_server: string, uri: string) => uri }) } };
  const { signal } = new AbortController();
  await watches.subscribe('a', 'note://1', { server: 'wiki', uri: 'note://1', owner: 'ada' }, signal);
  await watches.subscribe('g', 'note://1', { server: 'wiki', uri: 'note://1', owner: 'grace' }, signal);
  await watches.subscribe('s', 'note://1', { server: 'wiki', uri: 'note://1' }, signal);
  const heard = (owner?: string) =>
    ['a', 'g', 's'].filter((key) => noticeFor(notice(owner), client(key), seen) !== undefined);
  expect([subscribed, heard('ada'), heard('grace'), heard()]).toEqual([
    ['ada', 'grace', undefined],
    ['a'],
    ['g'],
    ['s'],
  ]);
});

test('a change on the client’s own connection is reported under the client’s URI', () => {
  const watches = new ResourceWatches(async () => Promise.reject(new Error('not asked')));
  const seen = {
    ports: { watches },
    views: { viewFor: () => ({ publicUri: (server: string, uri: string) => `${server}:${uri}` }) },
  };
  const heard = noticeFor({ ...notice(), key: 'a' }, client('a'), seen);
  expect(JSON.parse(Buffer.from(heard ?? []).toString())).toMatchObject({ params: { uri: 'wiki:note://1' } });
  expect(noticeFor({ ...notice(), key: 'b' }, client('a'), seen)).toBeUndefined();
});
