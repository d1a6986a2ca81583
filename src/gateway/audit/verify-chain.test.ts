import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditEntry } from './audit-record.ts';
import { type ChainHead, chainEntry, GENESIS, type Link, sha256Hex } from './chain.ts';
import {
  collectAnchors,
  type EndSource,
  givenHeads,
  joinHeads,
  joinReports,
  type NotedHead,
  type StoredRecord,
  type VerifyReport,
  verifyChain,
} from './verify-chain.ts';

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

test('the end of a chain is verified by the source that noted the newest record, the most independent first [gateway:U5]', () => {
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

test('a head that a person noted must be in the chain, at any position [gateway:U5]', () => {
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

test('a chain is invalid if a noted record is missing [gateway:U5]', () => {
  expect(verifyChain('local/0', [], undefined, [noted('registry', five[4])])).toMatchObject({
    ok: false,
    first_bad: { chain: 'local/0', seq: 0, reason: 'head' },
  });
  expect(verifyChain('local/0', [])).toMatchObject({ ok: true, records: 0, chains: [] });
});

test('a chain that was truncated and has grown again is found by earlier noted heads, also under the same number [gateway:U5] [gateway:U6]', () => {
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

test('a noted chain that is gone is missing; one of another node is kept elsewhere [gateway:U5] [gateway:U6]', () => {
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

test('an empty log without noted heads is reported as such [gateway:U5]', () => {
  expect(joinReports([], new Map())).toMatchObject({
    ok: true,
    records: 0,
    warnings: [expect.stringContaining('no records')],
  });
});

test('anchors of an edited record are ignored: its own chain reports it [gateway:U5]', () => {
  const text = '{"seq":1,"prev_hash":"0","chain":"local/0","anchors":{"a/0":null,"b/0":{"seq":"1","hash":2}}}';
  expect([...collectAnchors([text])]).toEqual([]);
});

test('agrees with a naive model, however a chain was truncated, pruned and noted [gateway:U5] [gateway:U7]', () => {
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

test('noted heads of several sources are merged by chain [gateway:U5]', () => {
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

/** A record of a text, as far as it is one. */
function recordOf(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    return Number.isSafeInteger(value?.seq) && typeof value?.prev_hash === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The whole report, each question answered by itself from the list of records. */
function naiveReport(stored: readonly StoredRecord[], notes: readonly NotedHead[]): VerifyReport {
  const seqOf = (index: number) => recordOf((stored[index] as StoredRecord).text)?.seq as number;
  const faultAt = (index: number): readonly [VerifyReportReason, number] | undefined => {
    const { text, hash, indexed } = stored[index] as StoredRecord;
    const record = recordOf(text);
    const next = index === 0 ? undefined : seqOf(index - 1) + 1;
    if (!record || sha256Hex(text) !== hash) return ['hash', (record?.seq as number) ?? next ?? 1];
    const seq = record.seq as number;
    if (Object.entries(indexed ?? {}).some(([name, value]) => (record[name] ?? null) !== value)) return ['index', seq];
    if (next !== undefined && seq !== next) return ['gap', next];
    const previous = index === 0 ? (seq === 1 ? '0'.repeat(64) : undefined) : stored[index - 1]?.hash;
    if (previous !== undefined && record.prev_hash !== previous) return ['prev_hash', seq];
    return notes.some((one) => one.seq === seq && one.hash !== hash) ? ['head', seq] : undefined;
  };
  const badAt = stored.findIndex((_, index) => faultAt(index) !== undefined);
  const good = badAt < 0 ? stored : stored.slice(0, badAt);
  const first = good.length > 0 ? (recordOf((good[0] as StoredRecord).text) as Record<string, unknown>) : undefined;
  const [firstSeq, last] = [(first?.seq as number) ?? 0, good.length > 0 ? seqOf(good.length - 1) : 0];
  const isVouched = good.some(({ text }) => {
    const checkpoint = recordOf(text)?.checkpoint as Record<string, unknown> | undefined;
    return checkpoint?.through_seq === firstSeq - 1 && checkpoint.through_hash === first?.prev_hash;
  });
  const isCut = notes.some(({ seq, hash }) =>
    seq === undefined ? !good.some((one) => one.hash === hash) : seq > last,
  );
  const late: readonly [VerifyReportReason, number] | undefined =
    first && firstSeq > 1 && !isVouched ? ['missing_checkpoint', firstSeq] : isCut ? ['head', last] : undefined;
  const fault = badAt < 0 ? late : faultAt(badAt);
  const ends = good.flatMap(({ hash }, index) => {
    const by = notes.filter((one) => one.hash === hash && (one.seq ?? seqOf(index)) === seqOf(index));
    const source = (['given', 'file', 'anchor', 'registry'] as const).find((kind) =>
      by.some((one) => one.source === kind),
    );
    return source ? [{ end: source, end_seq: seqOf(index) }] : [];
  });
  const end = ends.at(-1) ?? { end: 'unchecked' as const, end_seq: null };
  const chains = first
    ? [{ chain: 'local/0', first_seq: firstSeq, last_seq: last, head: (good.at(-1) as StoredRecord).hash, ...end }]
    : [];
  return {
    ok: fault === undefined,
    records: good.length,
    chains,
    first_bad: fault ? { chain: 'local/0', seq: fault[1], reason: fault[0] } : null,
    warnings:
      fault === undefined && first && ends.length === 0
        ? ['the end of local/0 is unchecked: nothing noted it, so newer records may be missing']
        : [],
  };
}
type VerifyReportReason = NonNullable<VerifyReport['first_bad']>['reason'];

/** One thing that somebody does to a chain. */
type Damage = (records: StoredRecord[], at: number) => StoredRecord[];
const replaced = (text: (link: StoredRecord) => string, isHashed: boolean): Damage => {
  return (records, at) => {
    const old = records[at];
    if (!old) return records;
    const next = text(old);
    return records.with(at, { text: next, hash: isHashed ? sha256Hex(next) : old.hash });
  };
};
const indexedAs = (indexed: StoredRecord['indexed']): Damage => {
  return (records, at) => (records[at] ? records.with(at, { ...records[at], ...(indexed && { indexed }) }) : records);
};
const DAMAGES: readonly Damage[] = [
  (records) => records,
  (records, at) => records.slice(at),
  (records, at) => records.slice(0, at),
  (records, at) => records.toSpliced(at, 1),
  (records, at) => (at > 0 && records[at] ? records.with(at, records[at - 1] as StoredRecord) : records),
  ...['{', 'null', '[]', '{"seq":"1","prev_hash":"0"}', '{"seq":1.5,"prev_hash":"0"}', '{"seq":3,"prev_hash":7}'].map(
    (text) => replaced(() => text, true),
  ),
  replaced(({ text }) => text.replace('"tool":"', '"tool":"x'), false),
  replaced(({ text }) => text.replace('"tool":"', '"tool":"x'), true),
  replaced(({ text }) => text.replace(/"prev_hash":"./, '"prev_hash":"z'), true),
  replaced(({ text }) => text.replace(/"seq":(\d+)/, '"seq":9'), true),
  indexedAs({ kind: 'call', outcome: null }),
  indexedAs({ kind: 'call', outcome: 'ok' }),
  indexedAs({ kind: null }),
];

test('the whole report equals a naive check, whatever was done to a chain and noted of it [gateway:U5] [gateway:U7]', () => {
  const source = fc.constantFrom<EndSource>('file', 'anchor', 'registry');
  const note = fc.record({ source, seq: fc.integer({ min: 1, max: 8 }), isTrue: fc.boolean(), isGiven: fc.boolean() });
  const damage = fc.tuple(fc.constantFrom(...DAMAGES), fc.nat(6));
  const through = fc.option(fc.record({ seq: fc.nat(5), hashOf: fc.nat(5), after: fc.nat(2) }), {
    freq: 2,
    nil: undefined,
  });
  fc.assert(
    fc.property(
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      fc.array(note, { maxLength: 3 }),
      through,
      (damages, notes, vouches) => {
        const whole = chainOf(5);
        if (vouches) {
          const hash = whole[vouches.hashOf - 1]?.hash ?? GENESIS.hash;
          const checkpoint = { through_seq: vouches.seq, through_hash: hash, count: 1, reason: 'age' as const };
          whole.push(chainEntry('local/0', whole[4] as Link, entry(6, { tool: '5', checkpoint })));
          for (let more = 0; more < vouches.after; more += 1)
            whole.push(chainEntry('local/0', whole.at(-1) as Link, entry(7 + more, { tool: `${6 + more}` })));
        }
        const records = damages.reduce<StoredRecord[]>((list, [harm, at]) => harm(list, at), [...whole]);
        const heads = notes.map(({ source: by, seq, isTrue, isGiven }): NotedHead => {
          const hash = (isTrue ? whole[seq - 1]?.hash : undefined) ?? 'f'.repeat(64);
          return isGiven ? { source: 'given', hash } : { source: by, seq, hash };
        });
        expect(verifyChain('local/0', records, undefined, heads)).toEqual(naiveReport(records, heads));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('reports of several chains are merged: sums, the first fault, and a missing chain [gateway:U5]', () => {
  const good = verifyChain('local/0', five);
  const cut = verifyChain('local/1', chainOf(3, 'local/1').slice(1));
  const noted = new Map([
    ['local/0', [{ source: 'registry' as const, seq: 5, hash: (five[4] as Link).hash }]],
    ['local/2', [{ source: 'file' as const, seq: 1, hash: 'x' }]],
  ]);
  const chains = [
    ['local/0', good],
    ['local/1', cut],
  ] as const;
  expect([joinReports([chains[0]], new Map()), joinReports(chains, noted)]).toEqual([
    good,
    {
      ok: false,
      records: 7,
      chains: [...good.chains, ...cut.chains],
      first_bad: { chain: 'local/1', seq: 2, reason: 'missing_checkpoint' },
      warnings: good.warnings,
    },
  ]);
  expect(joinReports([chains[0]], noted)).toMatchObject({ ok: false, records: 5, first_bad: { chain: 'local/2' } });
});

test('an anchor is collected once for each noted record, with its own chain [gateway:U6]', () => {
  const anchored = (anchors: object, chain = 'a/0') => JSON.stringify({ seq: 1, prev_hash: '0', chain, anchors });
  const head = (seq: number, hash: string) => ({ seq, hash });
  const collected = collectAnchors([
    anchored({ 'x/0': head(1, 'p'), 'y/0': head(2, 'q') }),
    anchored({ 'x/0': head(1, 'p') }, 'b/0'),
    anchored({ 'x/0': head(1, 'r') }, 'b/0'),
    anchored({ 'x/0': head(3, 'p'), 'z/0': { seq: '1', hash: 'p' }, 'w/0': { seq: 1, hash: 7 } }),
    '{"seq":1,"prev_hash":"0","anchors":{"v/0":{"seq":1,"hash":"p"}}}',
    '{"seq":1,"prev_hash":"0"}',
    'no record',
  ]);
  const noted = (seq: number, hash: string, by: string) => ({ source: 'anchor', seq, hash, by });
  expect([...collected]).toEqual([
    ['x/0', [noted(1, 'p', 'b/0'), noted(1, 'r', 'b/0'), noted(3, 'p', 'a/0')]],
    ['y/0', [noted(2, 'q', 'a/0')]],
    ['v/0', [noted(1, 'p', '')]],
  ]);
});
