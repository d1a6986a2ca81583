import { api } from '../data/api.ts';
import { span } from '../data/format.ts';
import { now } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href } from '../data/router.ts';
import { Badge, Empty, LoadedView, PageTitle, Scroll } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { Line, plain, Shown, WithCode } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Candidate {
  readonly rank: number;
  readonly zone: string;
  readonly record: number;
  readonly priority: number;
  readonly depth: number;
  readonly endpoint: string | null;
  readonly verdict: string;
  readonly why: string;
}

interface Zone {
  readonly identity: string;
  readonly depth: number;
  readonly inherited_by?: string;
  readonly ttl: number;
}

interface Explanation {
  readonly identity: string;
  readonly zones: readonly Zone[];
  readonly candidates: readonly Candidate[];
  readonly descriptor?: {
    readonly endpoint: string;
    readonly signature?: Signature;
  };
  readonly failure?: Readonly<Record<string, unknown>>;
}

export function NamesPage({ path }: { readonly path: readonly string[] }) {
  const list = useLoaded(
    () => api<{ identities: string[]; total: number }>('/codex/zones', { query: { limit: 100 } }),
    [],
  );
  return (
    <>
      <PageTitle title={t.pages.names} />
      <LoadedView of={list} retry={list.refresh}>
        {({ identities }) => {
          const open = path[0] ?? identities[0];
          if (open === undefined) return <Empty text={t.names.none} />;
          return (
            <>
              <div class="split">
                <ul class="inbox plain" aria-label={t.pages.names}>
                  {identities.map((identity) => (
                    <li key={identity} class={identity === open ? 'open' : ''}>
                      <a
                        class="mono"
                        href={href('names', identity)}
                        aria-current={identity === open ? 'true' : undefined}
                      >
                        {identity}
                      </a>
                    </li>
                  ))}
                </ul>
                <Name key={open} identity={open} />
              </div>
              <Lint />
            </>
          );
        }}
      </LoadedView>
    </>
  );
}

function Name({ identity }: { readonly identity: string }) {
  const loaded = useLoaded(() => api<Explanation>('/codex/explain', { query: { identity } }), [identity]);
  return (
    <article class="detail" aria-label={plain(identity)}>
      <header>
        <h2 class="mono">
          <Line text={identity} max={300} />
        </h2>
      </header>
      <LoadedView of={loaded} retry={loaded.refresh}>
        {({ zones, candidates, descriptor, failure }) => (
          <>
            {descriptor && (
              <dl class="facts">
                <dt>{t.names.endpoint}</dt>
                <dd>
                  <code class="wrap">{descriptor.endpoint}</code>
                </dd>
                <dt>{t.names.signature}</dt>
                <dd>
                  <SignatureStatus signature={descriptor.signature} />
                </dd>
              </dl>
            )}
            {failure && (
              <p>
                <Badge tone="failed">{t.names.failed}</Badge>{' '}
                {t.names.failures[failure.code as keyof typeof t.names.failures] ?? <code>{String(failure.code)}</code>}
              </p>
            )}
            <Cascade zones={zones} candidates={candidates} />
            <CandidateTable candidates={candidates} />
            <Lint identity={identity} />
            {failure && (
              <details>
                <summary>{t.names.failureDetails}</summary>
                <Json value={failure} />
              </details>
            )}
          </>
        )}
      </LoadedView>
    </article>
  );
}

interface Signature {
  readonly kid: string;
  readonly expires_at: string;
}

/** Who signed the answer, and until when it is valid; a gateway without a key signs nothing. */
function SignatureStatus({ signature }: { readonly signature: Signature | undefined }) {
  if (!signature) {
    return (
      <>
        <Badge tone="off">{t.names.unsigned}</Badge>{' '}
        <span class="faint">
          · <WithCode text={t.names.unsignedNext} />
        </span>
      </>
    );
  }
  const isOver = Date.parse(signature.expires_at) <= now.value;
  return (
    <>
      <Badge tone={isOver ? 'failed' : 'ok'}>{t.names.signed(signature.kid.slice(0, 12))}</Badge>{' '}
      <span class="faint">
        {isOver ? t.names.signatureOver : t.names.signatureHolds(span(Date.parse(signature.expires_at) - now.value))}
      </span>
    </>
  );
}

interface LintReport {
  readonly ok: boolean;
  readonly issues: readonly {
    readonly level: string;
    readonly code: string;
    readonly message: string;
    readonly identity?: string;
    readonly pointer?: string;
  }[];
}

/** The issues of one zone, or of all. */
function Lint({ identity }: { readonly identity?: string }) {
  const loaded = useLoaded(
    () => api<LintReport>('/codex/lint', { method: 'POST', body: identity === undefined ? {} : { identity } }),
    [identity],
  );
  return (
    <>
      <h3>{identity === undefined ? t.names.lintAll : t.names.lint}</h3>
      <LoadedView of={loaded} retry={loaded.refresh} rows={2}>
        {({ issues }) =>
          issues.length === 0 ? (
            <p>
              <Badge tone="ok">{t.names.noIssues}</Badge>
            </p>
          ) : (
            <ul class="moments">
              {issues.map(({ level, code, message, identity: zone, pointer }) => (
                <li key={`${zone} ${code} ${pointer} ${message}`}>
                  <Badge tone={level === 'error' ? 'failed' : 'warning'}>{code.replaceAll('_', ' ')}</Badge>
                  {zone !== undefined && <code>{zone}</code>}
                  <Line text={message} max={300} />
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
    </>
  );
}

const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y] = [250, 44, 40, 12];

/** Zones from left to right by depth, each with its candidates below; the winner is marked. */
function Cascade({
  zones,
  candidates,
}: {
  readonly zones: readonly Zone[];
  readonly candidates: readonly Candidate[];
}) {
  const columns = [...Map.groupBy(zones, ({ depth }) => depth)].sort(([a], [b]) => a - b);
  const places = new Map<string, { x: number; y: number }>();
  let height = 0;
  for (const [column, [, own]] of columns.entries()) {
    let y = 4;
    for (const zone of own) {
      places.set(zone.identity, { x: 4 + column * (BOX_WIDTH + GAP_X), y });
      y += BOX_HEIGHT + 22 * candidates.filter((one) => one.zone === zone.identity).length + GAP_Y;
    }
    height = Math.max(height, y);
  }
  const width = columns.length * (BOX_WIDTH + GAP_X);
  return (
    <figure class="graph">
      <figcaption>{t.names.cascade}</figcaption>
      <Scroll>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t.names.cascade}>
          {zones.map((zone) => {
            const [to, from] = [places.get(zone.identity), places.get(zone.inherited_by ?? '')];
            if (!to || !from) return null;
            const [x, y] = [from.x + BOX_WIDTH, from.y + BOX_HEIGHT / 2];
            return (
              <path
                key={zone.identity}
                class="edge"
                d={`M${x} ${y}C${x + GAP_X / 2} ${y} ${to.x - GAP_X / 2} ${to.y + BOX_HEIGHT / 2} ${to.x} ${to.y + BOX_HEIGHT / 2}`}
              />
            );
          })}
          {zones.map((zone) => {
            const place = places.get(zone.identity);
            if (!place) return null;
            const own = candidates.filter((one) => one.zone === zone.identity);
            return (
              <g key={zone.identity} transform={`translate(${place.x} ${place.y})`}>
                <rect class="node" width={BOX_WIDTH} height={BOX_HEIGHT} rx={6} />
                <text x={10} y={19} class="mono">
                  {zone.identity.slice(0, 32)}
                </text>
                <text x={10} y={35} class="faint">
                  {t.names.ttl(zone.ttl)}
                </text>
                {own.map((one, index) => (
                  <text
                    key={one.record}
                    x={10}
                    y={BOX_HEIGHT + 16 + index * 22}
                    class={one.verdict === 'selected' ? 'selected' : 'faint'}
                  >
                    {`${one.verdict === 'selected' ? '✓' : '–'} ${t.names.priority} ${one.priority} · ${hostOf(one.endpoint)}`}
                  </text>
                ))}
              </g>
            );
          })}
        </svg>
      </Scroll>
    </figure>
  );
}

function hostOf(endpoint: string | null): string {
  const host = endpoint === null ? undefined : URL.parse(endpoint)?.host;
  return (host ?? '–').slice(0, 28);
}

function CandidateTable({ candidates }: { readonly candidates: readonly Candidate[] }) {
  return (
    <Scroll>
      <table class="fold" style={{ '--fold': '32px minmax(0, 1fr) max-content' }}>
        <thead>
          <tr>
            <th class="number">{t.names.rank}</th>
            <th>{t.names.verdict}</th>
            <th>{t.names.zone}</th>
            <th class="below">{t.names.endpoint}</th>
            <th class="below">{t.names.why}</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((one) => (
            <tr key={`${one.zone} ${one.record}`}>
              <td class="number">{one.rank}</td>
              <td>
                <Badge tone={one.verdict === 'selected' ? 'ok' : 'off'}>{one.verdict.replaceAll('_', ' ')}</Badge>
              </td>
              <td class="mono">{one.zone}</td>
              <td class="mono cut below">
                <Line text={one.endpoint ?? '–'} max={80} />
              </td>
              <td class="sentence below">
                <Shown text={one.why} fold={200} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
