import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import type { DefinitionMoment } from '../data/types.ts';
import { Ago, Badge, LoadedView } from '../parts/basics.tsx';
import { Diff } from '../parts/diff.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface HistoryProps {
  readonly id: string;
  /** Changes when there is more to show. */
  readonly newest: string;
}

interface History {
  readonly items: readonly DefinitionMoment[];
  readonly truncated: boolean;
}

/** How definitions of a server changed, newest first: what, when, and who accepted it. */
export function DefinitionHistory({ id, newest }: HistoryProps) {
  const loaded = useLoaded(
    () => api<History>(`/v1/servers/${encodeURIComponent(id)}/definition-history`),
    [id, newest],
  );
  return (
    <>
      <h2>{t.servers.definitionHistory}</h2>
      <LoadedView of={loaded} retry={loaded.refresh} rows={3}>
        {({ items, truncated }) =>
          items.length === 0 ? (
            <p class="faint">{t.servers.neverChanged}</p>
          ) : (
            <>
              {items.map((moment) => (
                <Moment key={`${moment.time} ${moment.tool} ${moment.definition_sha256}`} moment={moment} />
              ))}
              {truncated && <p class="faint">{t.servers.olderChanges}</p>}
            </>
          )
        }
      </LoadedView>
    </>
  );
}

function Moment({ moment }: { readonly moment: DefinitionMoment }) {
  return (
    <details class="change">
      <summary>
        <span class="mono">
          <Line text={moment.tool || t.servers.extras} max={100} />
        </span>
        <Badge tone={moment.status === 'active' ? 'off' : 'warning'}>
          {moment.before_sha256 === null ? t.servers.newDefinition : t.servers.changedDefinition}
        </Badge>
        <span class="faint">
          <Ago time={moment.time} />
          {moment.user !== null && (
            <>
              {' · '}
              <Line text={t.servers.onlyFor(moment.user)} max={100} />
            </>
          )}
        </span>
        <Accepted moment={moment} />
      </summary>
      <p class="faint mono wrap">{moment.definition_sha256}</p>
      <Diff text={moment.diff} isEscaped />
    </details>
  );
}

function Accepted({ moment: { accepted_by, accepted_at, status } }: { readonly moment: DefinitionMoment }) {
  if (accepted_by === null || accepted_at === null)
    return (
      <Badge tone={status === 'active' ? 'off' : 'asks'}>
        {t.servers.momentStates[status === 'active' ? 'used' : 'held']}
      </Badge>
    );
  return (
    <>
      <Badge tone="ok">
        <Line text={t.servers.acceptedBy(accepted_by)} max={80} />
      </Badge>
      <span class="faint">
        <Ago time={accepted_at} />
      </span>
    </>
  );
}
