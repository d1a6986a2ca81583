import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { KeyStore } from '../../store/keys/key-store.ts';
import { adminToken } from '../http/credentials.ts';
import { actorOf } from './actor-of.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'bindery-actor-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

test('a key that was revoked after admission has no actor, and never the admin [gateway:D5]', () => {
  const keys = new KeyStore(new DatabaseSync(':memory:'), { now: Date.now });
  const random = { bytes: (length: number) => randomBytes(length) };
  const { key, record } = keys.create({ name: 'k', scopes: ['register'], profiles: [], lifeMs: null }, random);
  const actor = (authorization?: string) => actorOf({ keys, access: {} as never, dataDir }, authorization);
  expect(actor(`Bearer ${key}`)).toEqual({ name: `key:${record.id}`, isAdmin: false });
  keys.revoke(record.id);
  expect(() => actor(`Bearer ${key}`)).toThrow('credential');
  expect(() => actor('Bearer something')).toThrow('credential');
  expect([actor(`Bearer ${adminToken(dataDir)}`), actor()]).toEqual(Array(2).fill({ name: 'admin', isAdmin: true }));
});
