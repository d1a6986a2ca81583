import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditEntry } from './audit-record.ts';
import { type ChainHead, chainEntry, GENESIS, type Link } from './chain.ts';
import { collectAnchors, givenHeads, joinHeads, joinReports, type NotedHead, verifyChain } from './verify-chain.ts';

const entry = (index: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'call',
  phase: 'single',
  call_id: `call-${index}`,
  time: '2026-11-15T00:00:00.000Z',
  ...more,
});

function chainOf(count: number, chain = 'local/0', tag = ''): Link[] {
  let head: ChainHead = GENESIS;
  return Array.from({ length: count }, (_, index) => {
    const link = chainEntry(chain, head, entry(index + 1, { tool: `${tag}${index}` }));
    head = link;
    return link;
  });
}
const five = chainOf(5);
const noted = (source: NotedHead['source'], link: Link | undefined): NotedHead => ({
  source,
  seq: link?.seq ?? 0,
  hash: link?.hash ?? '',
});

test('the end of a chain is checked by whoever noted the newest record, the most independent first [gateway:U5]', () => {
  const ends = [
    [],
    [noted('registry', five[2])],
    [noted('registry', five[4]), noted('file', five[2])],
    [noted('registry', five[4]), noted('anchor', five[4]), noted('file', five[4])],
  ].map((heads) => {
    const { ok, chains, warnings } = verifyChain('local/0', five, undefined, heads);
    return [ok, chains[0]?.end, chains[0]?.end_seq, warnings.length];
  });
  expect(ends).toEqual([
    [true, 'unchecked', null, 1],
    [true, 'registry', 3, 0],
    [true, 'registry', 5, 0],
    [true, 'file', 5, 0],
  ]);
});

test('a head that a person noted must be in the chain, wherever it is [gateway:U5]', () => {
  const by = (hash: string | undefined) => {
    const { first_bad, chains } = verifyChain('local/0', five, hash);
    return [first_bad?.reason ?? 'ok', chains[0]?.end, chains[0]?.end_seq];
  };
  expect([by(five[1]?.hash), by(five[4]?.hash), by('f'.repeat(64))]).toEqual([
    ['ok', 'given', 2],
    ['ok', 'given', 5],
    ['head', 'unchecked', null],
  ]);
});

test('without all of its records a chain is bad where any of them was noted [gateway:U5]', () => {
  expect(verifyChain('local/0', [], undefined, [noted('registry', five[4])])).toMatchObject({
    ok: false,
    first_bad: { chain: 'local/0', seq: 0, reason: 'head' },
  });
  expect(verifyChain('local/0', [])).toMatchObject({ ok: true, records: 0, chains: [] });
});

test('a chain that was cut and has grown again is found by what was noted before, also under the same number [gateway:U5] [gateway:U6]', () => {
  const other = chainOf(6, 'local/0', 'other');
  const heads = collectAnchors(
    [five[4], other[4]].map((link, index) => {
      const anchors = { 'local/0': { seq: 5, hash: (link as Link).hash } };
      return chainEntry('local/1', GENESIS, entry(index, { kind: 'system', anchors })).text;
    }),
  );
  expect(verifyChain('local/0', other, undefined, heads.get('local/0')).first_bad).toEqual({
    chain: 'local/0',
    seq: 5,
    reason: 'head',
  });
});

test('a chain that was noted and is gone is missing; that of another node is elsewhere [gateway:U5] [gateway:U6]', () => {
  const reports = [['local/0', verifyChain('local/0', five)]] as const;
  const anchors = { 'local/1': { seq: 2, hash: 'a' }, 'far/0': { seq: 2, hash: 'b' } };
  const anchored = collectAnchors([chainEntry('local/0', GENESIS, entry(1, { kind: 'system', anchors })).text]);
  const missing = (heads: Parameters<typeof joinReports>[1]) => joinReports(reports, heads).first_bad;
  expect([
    missing(anchored),
    missing(new Map([['far/0', anchored.get('far/0') ?? []]])),
    missing(new Map([['far/0', [noted('registry', five[0])]]])),
    missing(givenHeads(new Map([['x/9', 'c']]))),
  ]).toEqual([
    { chain: 'local/1', seq: 0, reason: 'missing_chain' },
    null,
    { chain: 'far/0', seq: 0, reason: 'missing_chain' },
    { chain: 'x/9', seq: 0, reason: 'missing_chain' },
  ]);
});

test('where there is nothing at all, that is said [gateway:U5]', () => {
  expect(joinReports([], new Map())).toMatchObject({
    ok: true,
    records: 0,
    warnings: [expect.stringContaining('no records')],
  });
});

test('anchors of a record that was edited are passed over: its own chain finds it [gateway:U5]', () => {
  const text = '{"seq":1,"prev_hash":"0","chain":"local/0","anchors":{"a/0":null,"b/0":{"seq":"1","hash":2}}}';
  expect([...collectAnchors([text])]).toEqual([]);
});

test('agrees with a naive model, however a chain was cut, pruned and noted [gateway:U5] [gateway:U7]', () => {
  const whole = chainOf(12);
  fc.assert(
    fc.property(
      fc.nat(11),
      fc.nat(12),
      fc.array(fc.record({ seq: fc.integer({ min: 1, max: 12 }), isTrue: fc.boolean() }), { maxLength: 4 }),
      (pruned, kept, notes) => {
        const before = whole[pruned - 1] ?? GENESIS;
        const checkpoint = {
          through_seq: before.seq,
          through_hash: before.hash,
          count: pruned,
          reason: 'age' as const,
        };
        const last = chainEntry('local/0', whole[11] as Link, entry(13, { kind: 'system', checkpoint }));
        const records = kept === 12 ? [...whole.slice(pruned), last] : pruned === 0 ? whole.slice(0, kept) : [];
        const heads = notes.map(({ seq, isTrue }): NotedHead => {
          const hash = isTrue ? (whole[seq - 1] as Link).hash : 'f'.repeat(64);
          return { source: 'registry', seq, hash };
        });
        const first = kept === 12 ? pruned + 1 : 1;
        const end = kept === 12 ? 13 : pruned === 0 ? kept : 0;
        const seen = notes.filter(({ seq }) => end === 0 || seq >= first);
        const isOk = seen.every(({ seq, isTrue }) => seq <= end && isTrue);
        const report = verifyChain('local/0', records, undefined, heads);
        expect(report.ok).toBe(isOk);
        const newest = Math.max(0, ...seen.map(({ seq }) => seq));
        if (isOk && end > 0) expect(report.chains[0]?.end_seq ?? 0).toBe(newest);
      },
    ),
    { numRuns: 1000 },
  );
});

test('what several noted is joined by chain [gateway:U5]', () => {
  const one = new Map([['a', [noted('file', five[0])]]]);
  const two = new Map([
    ['a', [noted('registry', five[1])]],
    ['b', [noted('registry', five[2])]],
  ]);
  expect([...joinHeads(one, two)]).toEqual([
    ['a', [noted('file', five[0]), noted('registry', five[1])]],
    ['b', [noted('registry', five[2])]],
  ]);
});
