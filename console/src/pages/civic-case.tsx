import { useEffect, useState } from 'preact/hooks';
import { api, Problem } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { reviewer } from '../data/reviewer.ts';
import { ActionButton, Ago, Badge, LoadedView } from '../parts/basics.tsx';
import { Diff } from '../parts/diff.tsx';
import { Json } from '../parts/json.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { Burst, type BurstPage, burstIn } from './civic-burst.tsx';
import { Claim } from './civic-claim.tsx';
import { type Outcome, UndoButton, type Undone } from './civic-outcomes.tsx';
import { DECISIONS, decisionLabel, type QueueEntry } from './civic-queue.ts';

/** A submission as it was sent; its members depend on its type. */
interface Submitted {
  readonly type?: string;
  readonly rationale?: string;
  /** Only feedback has it. */
  readonly body?: string;
  readonly report?: string;
  readonly commit_message?: string;
  readonly evidence_url?: string;
  readonly base_version?: string;
  readonly content?: {
    readonly amendment_subtype?: string;
    readonly body_diff?: { readonly diff?: string };
    readonly [member: string]: unknown;
  };
}

interface Protected {
  readonly field: string;
  readonly gate: string;
  readonly reason: string;
}

interface Votes {
  readonly confirms: number;
  readonly rejects: number;
  readonly utc_days: number;
  readonly toward: readonly {
    readonly to: string;
    readonly conditions: readonly {
      readonly name: string;
      readonly have: number;
      readonly need: number;
      readonly met: boolean;
      readonly below?: boolean;
    }[];
  }[];
}

/** A queue item with its content, and the case that the gateway computes. */
interface QueueCase extends QueueEntry {
  readonly content: unknown;
  /** The gateway computes cases, accepts reasons for senders, and can undo decisions. */
  readonly hasCase?: true;
  readonly note?: string;
  readonly decisions?: readonly string[];
  readonly change?: {
    readonly path: string;
    readonly diff: string;
    readonly applies: boolean;
    readonly problem?: string;
  };
  readonly protected?: readonly Protected[];
  readonly amendment_votes?: Votes;
  readonly target?: { readonly version: string; readonly status: string; readonly votes: Votes };
  readonly evidence?: readonly { readonly url: string; readonly state: string; readonly host: string }[];
  readonly findings?: readonly { readonly rule: string; readonly pointer: string; readonly text: string }[];
  readonly earlier?: readonly {
    readonly queue_id: string;
    readonly decision: string;
    readonly decided_at: string;
    readonly alike: readonly string[];
  }[];
}

interface ReviewCaseProps {
  readonly id: string;
  /** The current entry of the queue; undefined: it is not listed. */
  readonly entry: QueueEntry | undefined;
  readonly refreshQueue: () => Promise<void>;
  readonly onDecided: (outcomes: readonly Outcome[]) => unknown;
  readonly onUndone: (queueId: string, undone: Undone) => unknown;
}

/** One item to decide: the question, the change, the evidence. */
export function ReviewCase({ id, entry, refreshQueue, onDecided, onUndone }: ReviewCaseProps) {
  const loaded = useLoaded(() => readCase(id), [id]);
  const [more, setMore] = useState<readonly BurstPage[]>([]);
  useEffect(() => setMore([]), [id]);
  const pagesOf = ({ content }: QueueCase) => {
    const first = burstIn(content);
    return first ? [first, ...more] : [];
  };
  const { claimed_by, decision } = entry ?? {};
  // Another maintainer claimed or decided it.
  useEffect(() => {
    if (loaded.value !== undefined) void loaded.refresh();
  }, [claimed_by, decision, entry === undefined]);
  return (
    <article class="detail" aria-label={id}>
      <LoadedView of={loaded} retry={loaded.refresh} rows={8}>
        {(item) => (
          <>
            <header>
              <h2>{t.civic.classes[item.class] ?? item.class}</h2>
              <span class="mono">
                <Line text={[item.target_type, item.target_id].filter(Boolean).join(' ')} max={100} />
              </span>
              <span class="faint">
                <Ago time={item.opened_at} />
              </span>
            </header>
            <p class="faint">{t.civic.classTexts[item.class]}</p>
            {item.decision === undefined ? (
              <>
                {item.hasCase && <Claim item={item} onChange={() => Promise.all([loaded.refresh(), refreshQueue()])} />}
                <Decide item={item} through={pagesOf(item).at(-1)?.through} onDecided={onDecided} />
              </>
            ) : (
              <Decided item={item} onUndone={(how) => Promise.all([loaded.refresh(), onUndone(id, how)])} />
            )}
            <Reasons item={item} />
            <Burst queueId={id} pages={pagesOf(item)} onRead={(page) => setMore([...more, page])} />
            <Change item={item} />
            <VotesAgainst title={t.civic.votesOnChange} votes={item.amendment_votes} />
            <VotesAgainst title={t.civic.votesOnTarget} votes={item.target?.votes} />
            <Earlier item={item} />
            <details>
              <summary>{t.civic.asReceived}</summary>
              <Json value={item.content} />
            </details>
          </>
        )}
      </LoadedView>
    </article>
  );
}

/** The item with its case; a gateway without cases returns only the item. */
async function readCase(id: string): Promise<QueueCase> {
  const path = `/api/review/${encodeURIComponent(id)}`;
  const noCase = (thrown: unknown) => {
    if (thrown instanceof Problem && thrown.status === 404) return {};
    throw thrown;
  };
  const [item, found] = await Promise.all([
    api<QueueCase>(path),
    api<Partial<QueueCase>>(`${path}/case`).then((one) => ({ ...one, hasCase: true as const }), noCase),
  ]);
  return { ...found, ...item };
}

function submittedIn({ content }: QueueCase): Submitted {
  const given = typeof content === 'object' && content !== null ? (content as { item?: Submitted }) : {};
  return given.item ?? (given as Submitted);
}

interface DecidedProps {
  readonly item: QueueCase;
  readonly onUndone: (undone: Undone) => unknown;
}

function Decided({ item, onUndone }: DecidedProps) {
  return (
    <p>
      <Badge tone="off">{item.decision}</Badge> {item.decided_at !== undefined && <Ago time={item.decided_at} />}{' '}
      <Line text={item.note ?? ''} max={300} />{' '}
      {item.hasCase && <UndoButton queueId={item.queue_id} onUndone={onUndone} />}
    </p>
  );
}

interface DecideProps {
  readonly item: QueueCase;
  /** For a burst: how many of its concerns are on the screen. */
  readonly through: number | undefined;
  readonly onDecided: (outcomes: readonly Outcome[]) => unknown;
}

function Decide({ item, through, onDecided }: DecideProps) {
  const [note, setNote] = useState('');
  const [reason, setReason] = useState('');
  const decide = async (decision: string, redact = false) => {
    const words = { ...(note === '' ? {} : { note }), ...(reason === '' ? {} : { reason }) };
    const read = decision === 'release' && through !== undefined ? { through } : {};
    const by = reviewer.value === '' ? {} : { by: reviewer.value };
    const body = { decision, ...by, ...words, ...read, ...(redact ? { redact } : {}) };
    await api(`/api/review/${encodeURIComponent(item.queue_id)}`, { method: 'POST', body });
    await onDecided([{ item, decision }]);
  };
  const possible = item.decisions ?? DECISIONS[item.class] ?? [];
  return (
    <>
      <label>
        {t.civic.note}
        <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      {item.hasCase && (
        <label>
          {t.civic.reasonForSender}
          <input value={reason} maxLength={500} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      <div class="actions">
        {possible.map((decision, index) => (
          <ActionButton
            key={decision}
            kind={index === 0 ? 'primary' : 'danger'}
            label={decisionLabel(decision)}
            busyLabel={t.civic.deciding}
            run={() => decide(decision)}
          />
        ))}
        {item.class === 'ner_hold' && through === undefined && (
          <ActionButton label={t.civic.decisions.release_redacted} run={() => decide('release', true)} />
        )}
      </div>
    </>
  );
}

/** Why it waits, the rationale of its sender, and the citations. */
function Reasons({ item }: { readonly item: QueueCase }) {
  const submitted = submittedIn(item);
  const said = submitted.rationale ?? submitted.report ?? submitted.commit_message ?? submitted.body;
  const fields = item.protected ?? (item.content as { protected?: readonly Protected[] } | null)?.protected ?? [];
  const cited = item.evidence ?? (submitted.evidence_url ? [{ url: submitted.evidence_url, state: '', host: '' }] : []);
  return (
    <dl class="facts">
      {item.reason !== undefined && (
        <>
          <dt>{t.civic.reason}</dt>
          <dd>
            <Line text={item.reason.replaceAll('_', ' ')} />
          </dd>
        </>
      )}
      {item.rules !== undefined && (
        <>
          <dt>{t.civic.rules}</dt>
          <dd>{item.rules.join(', ')}</dd>
        </>
      )}
      {said !== undefined && (
        <>
          <dt>{t.civic.says}</dt>
          <dd>
            <Shown text={said} fold={800} />
          </dd>
        </>
      )}
      {fields.length > 0 && (
        <>
          <dt>{t.civic.protected}</dt>
          <dd>
            {fields.map(({ field, gate, reason }) => (
              <div key={field}>
                <code>{field}</code> <Badge tone="warning">{gate}</Badge> <Line text={reason} max={200} />
              </div>
            ))}
          </dd>
        </>
      )}
      {(item.findings ?? []).map(({ rule, pointer, text }) => (
        <div key={`${rule} ${pointer} ${text}`} class="fact-pair">
          <dt>{rule}</dt>
          <dd>
            <code>{pointer}</code> <Shown text={text} fold={200} />
          </dd>
        </div>
      ))}
      {cited.length > 0 && (
        <>
          <dt>{t.civic.evidence}</dt>
          <dd>
            {cited.map(({ url, state, host }) => (
              <div key={url}>
                <Evidence url={url} />{' '}
                {state !== '' && <Badge tone={state === 'dead' ? 'failed' : 'off'}>{state}</Badge>}{' '}
                {host === 'foreign' && <Badge tone="warning">{t.civic.foreignHost}</Badge>}
              </div>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}

/** Opens only https links, and shows the whole address first. */
function Evidence({ url }: { readonly url: string }) {
  if (!/^https:\/\/[\x21-\x7e]+$/.test(url)) return <Shown text={url} fold={300} />;
  return (
    <a class="wrap mono" href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );
}

/** The change as a diff; other content is shown member by member. */
function Change({ item }: { readonly item: QueueCase }) {
  const { content } = submittedIn(item);
  const diff = item.change?.diff ?? content?.body_diff?.diff;
  if (diff === undefined && content === undefined) return null;
  return (
    <>
      <h3>{item.change ? <Line text={item.change.path} /> : t.civic.change}</h3>
      {item.change?.problem !== undefined && (
        <p class="failed-text">
          <Line text={t.civic.doesNotApply(item.change.problem)} max={300} />
        </p>
      )}
      {diff === undefined || diff === '' ? <Json value={content} /> : <Diff text={diff} />}
    </>
  );
}

function VotesAgainst({ title, votes }: { readonly title: string; readonly votes: Votes | undefined }) {
  if (!votes) return null;
  return (
    <>
      <h3>{title}</h3>
      <p>{t.civic.votes(votes.confirms, votes.rejects, votes.utc_days)}</p>
      <ul class="moments">
        {votes.toward.map(({ to, conditions }) => (
          <li key={to}>
            <span>{t.civic.toward(to)}</span>
            {conditions.map(({ name, have, need, met, below }) => (
              <Badge key={name} tone={met ? 'ok' : 'off'}>
                {`${name.replaceAll('_', ' ')} ${rounded(have)} ${below ? '<' : '/'} ${rounded(need)}`}
              </Badge>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function rounded(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function Earlier({ item: { earlier = [] } }: { readonly item: QueueCase }) {
  if (earlier.length === 0) return null;
  return (
    <>
      <h3>{t.civic.earlier}</h3>
      <ul class="moments">
        {earlier.map(({ queue_id, decision, decided_at, alike }) => (
          <li key={queue_id}>
            <Badge tone="off">{decision}</Badge>
            <span class="faint">
              <Ago time={decided_at} />
            </span>
            <Line text={alike.join(', ')} max={160} />
          </li>
        ))}
      </ul>
    </>
  );
}
