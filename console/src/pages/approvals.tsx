import { listAll } from '../data/api.ts';
import { decided, waiting } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href } from '../data/router.ts';
import type { Approval } from '../data/types.ts';
import { Ago, Empty, LoadedView, PageTitle, Scroll, Tabs } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ApprovalDetail, StatusBadge } from './approval-detail.tsx';
import { Inbox } from './approval-inbox.tsx';
import { NotifyButton } from './notify.tsx';
import { useReading } from './reading.ts';
import { RememberedList } from './remembered.tsx';

export function ApprovalsPage({ path }: { readonly path: readonly string[] }) {
  const isHistory = path[0] === 'decided';
  const isAllowed = path[0] === 'allowed';
  return (
    <>
      <PageTitle title={t.pages.approvals}>
        <NotifyButton />
      </PageTitle>
      <Tabs
        tabs={[
          {
            label: t.approvals.waiting,
            link: href('approvals'),
            isOpen: !isHistory && !isAllowed,
            count: waiting.value.length,
          },
          { label: t.approvals.decided, link: href('approvals', 'decided'), isOpen: isHistory },
          { label: t.approvals.allowed, link: href('approvals', 'allowed'), isOpen: isAllowed },
        ]}
      />
      {isHistory && <History path={path} />}
      {isAllowed && <RememberedList />}
      {!isHistory && !isAllowed && <Inbox id={path[0]} />}
    </>
  );
}

function PastApproval({ approval }: { readonly approval: Approval }) {
  return <ApprovalDetail approval={approval} reading={useReading()} />;
}

function History({ path }: { readonly path: readonly string[] }) {
  const loaded = useLoaded(() => listAll<Approval>('/v1/approvals'), [decided.value.size]);
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {(all) => {
        const past = all.filter(({ status }) => status !== 'pending').toReversed();
        const open = past.find(({ id }) => id === path[1]);
        if (open) return <PastApproval key={open.id} approval={open} />;
        if (past.length === 0)
          return (
            <Empty text={t.approvals.noneDecided}>
              <p>{t.approvals.noneDecidedNext}</p>
            </Empty>
          );
        return (
          <Scroll>
            <table class="fold" style={{ '--fold': 'max-content minmax(0, 1fr)' }}>
              <thead>
                <tr>
                  <th>{t.approvals.status}</th>
                  <th>{t.tools.tool}</th>
                  <th class="below">{t.approvals.who}</th>
                  <th class="below">{t.approvals.by}</th>
                  <th class="below">{t.approvals.reason}</th>
                  <th class="below">{t.audit.when}</th>
                </tr>
              </thead>
              <tbody>
                {past.map((item) => (
                  <tr key={item.id}>
                    <td>
                      <StatusBadge approval={item} />
                    </td>
                    <td class="mono">
                      <a href={href('approvals', 'decided', item.id)}>
                        <Line text={`${item.server} / ${item.tool}`} max={80} />
                      </a>
                    </td>
                    <td class="below" data-label={t.approvals.who}>
                      <Caller {...item} isEscaped />
                    </td>
                    <td class="below" data-label={t.approvals.by}>
                      {item.decided_by === null ? (
                        '–'
                      ) : (
                        <Line text={`${item.decided_by} (${item.decided_via ?? ''})`} />
                      )}
                    </td>
                    <td class="below" data-label={t.approvals.reason}>
                      <Line text={item.decision_reason ?? '–'} max={100} />
                    </td>
                    <td class="below" data-label={t.audit.when}>
                      <Ago time={item.decided_at ?? item.created_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        );
      }}
    </LoadedView>
  );
}
