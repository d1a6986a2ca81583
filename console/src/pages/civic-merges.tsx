import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { isOwner } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { Ago, Badge, Empty, LoadedView, Scroll } from '../parts/basics.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Merge {
  readonly submission_id: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly merged_at: string;
  readonly version: string;
  readonly automatic: boolean;
  readonly reverted_at?: string;
}

/** Merged changes of the corpus, newest first; each can be reverted on its own. */
export function Merges() {
  const loaded = useLoaded(
    () => (isOwner.value ? api<{ merges: Merge[] }>('/api/review/merges') : Promise.resolve({ merges: [] })),
    [isOwner.value],
  );
  const [reverting, setReverting] = useState<Merge>();
  if (!isOwner.value) return <Empty text={needsAdmin(t.civic.toReview)} />;
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {({ merges }) =>
        merges.length === 0 ? (
          <Empty text={t.civic.noMerges}>
            <p>{t.civic.noMergesNext}</p>
          </Empty>
        ) : (
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>{t.civic.when}</th>
                  <th>{t.civic.what}</th>
                  <th>{t.civic.version}</th>
                  <th>{t.civic.by}</th>
                  <th>
                    <span class="visually-hidden">{t.settings.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {merges.map((merge) => (
                  <tr key={merge.submission_id}>
                    <td>
                      <Ago time={merge.merged_at} />
                    </td>
                    <td class="mono">
                      <Line text={`${merge.target_type} ${merge.target_id}`} max={100} />
                    </td>
                    <td>{merge.version}</td>
                    <td>{merge.automatic ? t.civic.automatic : t.civic.maintainer}</td>
                    <td class="number">
                      {merge.reverted_at === undefined ? (
                        <button type="button" class="danger" onClick={() => setReverting(merge)}>
                          {t.civic.revert}
                        </button>
                      ) : (
                        <Badge tone="off">{t.civic.reverted}</Badge>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {reverting && (
              <ConfirmDialog
                title={t.civic.revertTitle(reverting.target_id)}
                text={t.civic.revertText}
                name={reverting.target_id}
                action={t.civic.revert}
                run={() =>
                  api(`/api/review/merges/${encodeURIComponent(reverting.submission_id)}/revert`, {
                    method: 'POST',
                    body: {},
                  }).then(() => loaded.refresh())
                }
                onClose={() => setReverting(undefined)}
              />
            )}
          </Scroll>
        )
      }
    </LoadedView>
  );
}
