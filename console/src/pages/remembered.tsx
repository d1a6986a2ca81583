import { useState } from 'preact/hooks';
import { api, listAll } from '../data/api.ts';
import { span } from '../data/format.ts';
import { decided, mayChange, now } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href } from '../data/router.ts';
import type { Remembered } from '../data/types.ts';
import { ActionButton, Ago, Empty, Failure, LoadedView, Scroll } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** Approvals for a session or for ever, whose calls run without asking; each can be revoked. */
export function RememberedList() {
  const loaded = useLoaded(() => listAll<Remembered>('/v1/remembered-approvals'), [decided.value.size]);
  const [error, setError] = useState<unknown>();
  const revoke = async (id: string) => {
    setError(undefined);
    await api(`/v1/remembered-approvals/${encodeURIComponent(id)}`, { method: 'DELETE' });
    await loaded.refresh();
  };
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {(items) =>
        items.length === 0 ? (
          <Empty text={t.approvals.noneAllowed} />
        ) : (
          <>
            <p class="faint">{t.approvals.allowedMeans}</p>
            {error !== undefined && <Failure error={error} />}
            <Scroll>
              <table>
                <thead>
                  <tr>
                    <th>{t.tools.tool}</th>
                    <th>{t.approvals.who}</th>
                    <th>{t.approvals.until}</th>
                    <th>{t.approvals.by}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {items.map((item) => (
                    <tr key={item.id}>
                      <td class="mono">
                        <Line text={`${item.server} / ${item.tool}`} max={80} />
                      </td>
                      <td>
                        <Caller caller={item.caller} />
                        {item.scope !== 'always' && (
                          <span class="faint">
                            {` · ${t.approvals.session} `}
                            <Line text={item.scope} max={60} />
                          </span>
                        )}
                      </td>
                      <td>
                        {item.scope === 'always'
                          ? t.approvals.forEver
                          : t.approvals.untilSessionEnds(span(Date.parse(item.expires_at) - now.value))}
                      </td>
                      <td>
                        {item.approval_id === null ? (
                          '–'
                        ) : (
                          <a href={href('approvals', 'decided', item.approval_id)}>
                            <Line text={`${item.decided_by ?? ''} (${item.via})`} />
                          </a>
                        )}{' '}
                        {item.decided_at !== null && <Ago time={item.decided_at} />}
                      </td>
                      <td>
                        {mayChange.value && (
                          <ActionButton
                            kind="danger"
                            label={t.approvals.revoke}
                            run={() => revoke(item.id)}
                            onError={setError}
                          />
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </>
        )
      }
    </LoadedView>
  );
}
