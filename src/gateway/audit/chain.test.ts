import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditEntry } from './audit-record.ts';
import {
  type ChainHead,
  chainEntry,
  exportLine,
  GENESIS,
  type Link,
  nodeOfChain,
  parseExportLine,
  sha256Hex,
} from './chain.ts';
import { verifyChain } from './verify-chain.ts';

const entry = (index: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id: `call-${index}`,
  time: '2026-11-15T00:00:00.000Z',
  tool: `t${index}`,
  ...more,
});

function chainOf(entries: readonly AuditEntry[]): Link[] {
  let head: ChainHead = GENESIS;
  return entries.map((item) => {
    const link = chainEntry('local/0', head, item);
    head = link;
    return link;
  });
}
const five = chainOf([1, 2, 3, 4, 5].map((index) => entry(index)));

test('a record is RFC 8785 text, and its hash covers the one before [gateway:U4]', () => {
  const [first, second] = five as [Link, Link];
  expect(first.text).toBe(
    `{"call_id":"call-1","chain":"local/0","kind":"call","phase":"single","prev_hash":"${'0'.repeat(64)}","seq":1,"time":"2026-11-15T00:00:00.000Z","tool":"t1","v":1}`,
  );
  expect(first.hash).toBe(sha256Hex(first.text));
  expect(JSON.parse(second.text).prev_hash).toBe(first.hash);
});

test('the text of any record is canonical [gateway:U4]', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const more = fc.record(
    {
      arguments: fc.oneof(json, fc.dictionary(fc.constantFrom('b', 'a', '10', '9', 'toJSON', 'é'), json)),
      rule: fc.record(
        { rule: fc.string(), layer: fc.string(), line: fc.nat(), file: fc.string({ unit: 'grapheme' }) },
        { requiredKeys: ['rule'] },
      ),
      client: fc.record({ version: fc.string(), name: fc.string() }),
      checkpoint: fc.constantFrom(
        { through_seq: 1, through_hash: 'h', count: 1, reason: 'age' as const },
        { count: 1, reason: 'size' as const, through_hash: 'h', through_seq: 1 },
      ),
      anchors: fc.dictionary(fc.string(), fc.record({ seq: fc.nat(), hash: fc.string() })),
      caller: fc.string(),
      approver: fc.string(),
      result_bytes: fc.nat(),
      outcome: fc.constant('ok' as const),
      via: fc.string(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(more, (members) => {
      const whole = { ...entry(1, members), v: 1, chain: 'local/0', seq: 1, prev_hash: GENESIS.hash };
      expect(chainEntry('local/0', GENESIS, entry(1, members)).text).toBe(naiveCanonical(whole));
    }),
  );
});

/** RFC 8785, as one would write it down. */
function naiveCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(naiveCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${naiveCanonical(member)}`).join(',')}}`;
}

test('a whole chain verifies and reports its head [gateway:U5]', () => {
  expect(verifyChain('local/0', five, five[4]?.hash)).toEqual({
    ok: true,
    records: 5,
    chains: [{ chain: 'local/0', first_seq: 1, last_seq: 5, head: five[4]?.hash, end: 'given', end_seq: 5 }],
    first_bad: null,
    warnings: [],
  });
});

test.each([
  [
    'an edited record',
    five.with(2, { ...(five[2] as Link), text: (five[2] as Link).text.replace('t3', 't9') }),
    undefined,
    3,
    'hash',
  ],
  ['a dropped record', five.toSpliced(2, 1), undefined, 3, 'gap'],
  ['records in another order', [five[0], five[2], five[1], five[3], five[4]] as Link[], undefined, 2, 'gap'],
  ['an edited record with a new hash', rehash(five, 2), undefined, 4, 'prev_hash'],
  ['a cut end, where the head is known', five.slice(0, 4), five[4]?.hash, 4, 'head'],
  ['a cut beginning', five.slice(2), undefined, 3, 'missing_checkpoint'],
])('%s is found [gateway:U4] [gateway:U5]', (_name, records, head, seq, reason) => {
  expect(verifyChain('local/0', records, head).first_bad).toEqual({ chain: 'local/0', seq, reason });
});

test('an index that disagrees with the stored text is found [gateway:U4]', () => {
  const indexed = five.map((link, index) => ({
    ...link,
    indexed: { tool: index === 1 ? 'other' : `t${index + 1}`, outcome: null },
  }));
  expect(verifyChain('local/0', indexed).first_bad).toEqual({ chain: 'local/0', seq: 2, reason: 'index' });
});

test('a pruned beginning is valid with the checkpoint that confirms it [gateway:U7]', () => {
  const kept = five.slice(2);
  const through = five[1] as Link;
  const checkpoint = { through_seq: 2, through_hash: through.hash, count: 2, reason: 'age' as const };
  const link = chainEntry('local/0', five[4] as Link, entry(6, { kind: 'system', checkpoint }));
  expect(verifyChain('local/0', [...kept, link])).toMatchObject({
    ok: true,
    records: 4,
    chains: [{ first_seq: 3, last_seq: 6 }],
  });
});

test.each([
  ['another hash', { through_seq: 2, through_hash: 'f'.repeat(64) }],
  ['another number', { through_seq: 1, through_hash: (five[1] as Link).hash }],
])('a checkpoint with %s vouches for nothing [gateway:U7]', (_name, through) => {
  const checkpoint = { ...through, count: 2, reason: 'age' as const };
  const link = chainEntry('local/0', five[4] as Link, entry(6, { kind: 'system', checkpoint }));
  expect(verifyChain('local/0', [...five.slice(2), link]).first_bad).toEqual({
    chain: 'local/0',
    seq: 3,
    reason: 'missing_checkpoint',
  });
});

test('an export line restores text and hash, for any content [gateway:U5]', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (tool, args) => {
      const link = chainEntry('n/1', GENESIS, entry(1, { tool: tool.toWellFormed(), arguments: args }));
      expect(parseExportLine(exportLine(link.text, link.hash))).toEqual({ text: link.text, hash: link.hash });
    }),
  );
});

function rehash(links: readonly Link[], index: number): Link[] {
  const text = (links[index] as Link).text.replace(`t${index + 1}`, 'changed');
  return links.with(index, { ...(links[index] as Link), text, hash: sha256Hex(text) });
}

test('the node of a chain is everything before its last slash', () => {
  expect(['local/0', 'a/b/12', '/3', 'x/0'].map(nodeOfChain)).toEqual(['local', 'a/b', '', 'x']);
});
