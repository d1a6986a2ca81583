import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { BinderyError } from '../../contract/errors.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { InputRequired } from '../approvals/approval-ports.ts';
import { answerOf, CLIENT, codeOf, exchangeOf, OfflineGateway, requestOf } from '../testing/offline-gateway.ts';
import type { Target } from './client-call.ts';
import { runCall } from './pipeline.ts';

/** What happens at each stage of one call. */
interface Way {
  readonly policy: 'allow' | 'deny' | 'approval';
  readonly held: boolean;
  readonly rate: 'free' | 'waits' | 'refused';
  readonly breaker: 'closed' | 'open';
  readonly person: 'approves' | 'approves after another call' | 'denies' | 'is asked by a result';
  readonly meanwhile: 'nothing' | 'policy denies' | 'definition changes' | 'client leaves';
  readonly queue: 'free' | 'waits' | 'full';
  readonly audit: 'works' | 'fails at begin' | 'fails at end' | 'fails';
  readonly server: 'answers' | 'fails' | 'errs' | 'is lost' | 'is busy' | 'breaks' | 'is cancelled';
}

const CHOICES: { readonly [member in keyof Way]: readonly Way[member][] } = {
  policy: ['allow', 'approval', 'approval', 'deny'],
  held: [false, false, false, true],
  rate: ['free', 'free', 'waits', 'refused'],
  breaker: ['closed', 'closed', 'closed', 'open'],
  person: ['approves', 'approves', 'approves after another call', 'denies', 'is asked by a result'],
  meanwhile: ['nothing', 'nothing', 'policy denies', 'definition changes', 'client leaves'],
  queue: ['free', 'free', 'waits', 'full'],
  audit: ['works', 'works', 'works', 'fails at begin', 'fails at end', 'fails'],
  server: ['answers', 'answers', 'fails', 'errs', 'is lost', 'is busy', 'breaks', 'is cancelled'],
};

interface Outcome {
  readonly code: string;
  readonly records: readonly string[];
  readonly sent: number;
  readonly asked: number;
  readonly used: number;
  readonly failures: number;
  readonly counted: number;
}

const ENDINGS: Readonly<Record<Way['server'], readonly [code: string, outcome: string]>> = {
  answers: ['ok', 'ok'],
  fails: ['ok', 'tool_error'],
  errs: ['rpc -32000', 'upstream_error'],
  'is lost': ['UPSTREAM_ERROR', 'upstream_error'],
  'is busy': ['BUSY', 'rate_limited'],
  breaks: ['UPSTREAM_ERROR', 'upstream_error'],
  'is cancelled': ['CANCELLED', 'cancelled'],
};

/** The stages as one list of questions. */
function predict(way: Way): Outcome {
  const isAsked = way.policy === 'approval';
  let [asked, used, counted] = [0, 0, 0];
  const refused = (code: string, record: string): Outcome => {
    const isKept = way.audit === 'works' || way.audit.startsWith('fails at');
    const told = isKept ? code : 'STORE_UNAVAILABLE';
    const failures = way.breaker === 'open' ? 5 : 0;
    return { code: told, records: isKept ? [`single ${record}`] : [], sent: 0, asked, used, failures, counted };
  };
  if (way.policy === 'deny') return refused('POLICY_DENIED', 'denied forbidden');
  if (way.held) return refused('QUARANTINED', 'denied quarantined');
  counted = 1;
  const rule = isAsked ? 'approval_required' : 'server_listed';
  if (way.rate === 'refused') return refused('RATE_LIMITED', `rate_limited ${rule}`);
  if (way.breaker === 'open') return refused('BREAKER_OPEN', `breaker_open ${rule}`);
  if (isAsked) {
    asked = 1;
    if (way.person === 'denies') return refused('APPROVAL_DENIED', 'denied approval_denied apr_1');
    if (way.person === 'is asked by a result') return refused('ok', 'denied approval_pending apr_1');
    if (way.meanwhile === 'policy denies') return refused('POLICY_DENIED', 'denied forbidden');
    if (way.meanwhile === 'definition changes') return refused('DEFINITION_CHANGED', 'denied definition_changed');
  }
  if (way.queue === 'full') return refused('BUSY', 'rate_limited queue_full');
  if (isAsked) {
    if (way.meanwhile === 'client leaves') return refused('CANCELLED', `cancelled ${rule} apr_1`);
    used = way.person === 'approves' ? 1 : 2;
    asked = used;
  }
  const base = { asked, used, counted };
  if (way.audit === 'fails at begin' || way.audit === 'fails')
    return { ...base, code: 'STORE_UNAVAILABLE', records: [], sent: 0, failures: 0 };
  const [code, outcome] = ENDINGS[way.server];
  const begin = `begin  ${rule}${isAsked ? ' apr_1 ada' : ''}`;
  const failures = way.server === 'is lost' ? 1 : 0;
  if (way.audit === 'fails at end') return { ...base, code: 'STORE_UNAVAILABLE', records: [begin], sent: 1, failures };
  return { ...base, code, records: [begin, `end ${outcome}`], sent: 1, failures };
}

/** Takes a real call this way. */
async function take(way: Way): Promise<Outcome> {
  const seen = { asked: 0, used: 0, counted: 0 };
  const policy = (forbidden: string[]) => ({
    allowlist: { servers: ['s'], forbidden, operations: { t: { approval_required: way.policy === 'approval' } } },
  });
  const exchange = exchangeOf();
  const approval = { id: 'apr_1', decided_by: 'ada', decided_via: 'console' };
  const target: Target = {
    kind: 'call',
    server: 's',
    tool: 't',
    name: 's__t',
    rewrite: { name: 't' },
    held: way.held ? 'QUARANTINED' : undefined,
    heldNow: () => (way.meanwhile === 'definition changes' ? 'DEFINITION_CHANGED' : undefined),
  };
  const approve = async () => {
    seen.asked += 1;
    if (way.person === 'denies') throw new BinderyError('APPROVAL_DENIED', { members: { approval_id: 'apr_1' } });
    if (way.person === 'is asked by a result') throw new InputRequired({ resultType: 'input_required' }, 'apr_1');
    if (way.meanwhile === 'policy denies') world.setPolicy(policy(['t']));
    if (way.meanwhile === 'client leaves') exchange.leaving.abort();
    const use = async () => {
      seen.used += 1;
      return way.person === 'approves' || seen.used === 2;
    };
    return { approval, use, wrapState: () => '' };
  };
  const countRate = () => {
    seen.counted += 1;
    if (way.rate === 'refused') throw new BinderyError('RATE_LIMITED', { members: { retry_after_ms: 2_500 } });
    return way.rate === 'waits' ? Promise.resolve() : undefined;
  };
  const limits = { concurrencyMax: 2, queueMax: way.queue === 'full' ? 0 : 1 };
  const world = new OfflineGateway(
    { approvals: { approve, unwrap: (request: unknown) => request } as never, countRate },
    limits,
  );
  world.setPolicy(policy(way.policy === 'deny' ? ['t'] : []));
  world.beforeAppend = ({ phase }) => {
    if (way.audit === 'fails' || way.audit === `fails at ${phase}`) throw new BinderyError('STORE_UNAVAILABLE');
  };
  world.upstream.answer = ({ id }) => {
    if (way.server === 'is lost') throw new UpstreamError('lost', 'gone');
    if (way.server === 'is busy') throw new UpstreamError('busy', 'all are busy');
    if (way.server === 'breaks') throw new Error('a fault of ours');
    if (way.server === 'is cancelled') {
      exchange.signal.abort();
      throw new UpstreamError('cancelled', 'the request was cancelled');
    }
    if (way.server === 'errs') return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`;
    return way.server === 'fails' ? '{"content":[],"isError":true}' : '{"content":[]}';
  };
  const limiter = world.limiter();
  const other = { tool: 'other', concurrencyMax: undefined };
  const never = new AbortController().signal;
  if (way.breaker === 'open')
    for (let count = 0; count < 5; count += 1) {
      limiter.acquire(other, never);
      limiter.release(other, 'failed', 'refused');
    }
  else if (way.queue !== 'free') for (let count = 0; count < 2; count += 1) limiter.acquire(other, never);
  const running = limiter.running;
  const call = runCall(
    world.ports,
    { client: CLIENT, request: requestOf('tools/call', { name: 's__t' }), exchange },
    target,
  );
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  const waits = limiter.queued;
  if (waits > 0) {
    expect(world.upstream.sent).toEqual([]);
    limiter.release(other, 'abandoned');
  }
  const code = codeOf(answerOf(await call));
  // Whatever became of it, its place is free again.
  expect([limiter.running, limiter.queued]).toEqual([running - waits, 0]);
  const records = world.audit.map(({ phase, outcome, rule, approval_id, approver }) =>
    [phase, phase === 'begin' ? '' : outcome, phase === 'end' ? undefined : rule?.rule, approval_id, approver]
      .filter((part) => part !== undefined)
      .join(' '),
  );
  return { code, records, sent: world.upstream.sent.length, ...seen, failures: limiter.breaker().failures };
}

test('whatever happens at any stage, a call is refused, recorded, sent and answered as one list of questions says [gateway:V1] [gateway:A1]', async () => {
  const dice = new Dice(11);
  for (let round = 0; round < 600; round += 1) {
    const way = Object.fromEntries(
      Object.entries(CHOICES).map(([name, all]) => [name, dice.pick(all as never[])]),
    ) as unknown as Way;
    expect({ way, ...(await take(way)) }).toEqual({ way, ...predict(way) });
  }
});

test('a request that brings answers to a running call takes a place even if none is free, and releases it', async () => {
  const world = new OfflineGateway({}, { concurrencyMax: 1 });
  world.held.continuesCall = () => true;
  const running: number[] = [];
  world.upstream.answer = async () => {
    running.push(world.limiter().running);
    return '{"content":[]}';
  };
  world.limiter().acquireNow({ tool: 't', concurrencyMax: undefined, client: CLIENT });
  expect(codeOf(await world.request('tools/call', { name: 's__t', arguments: {} }))).toBe('ok');
  expect([running, world.limiter().running, world.limiter().queued]).toEqual([[2], 1, 0]);
});
