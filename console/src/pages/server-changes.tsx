import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange, servers } from '../data/live.ts';
import type { ToolChange } from '../data/types.ts';
import { Empty } from '../parts/basics.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Diff } from '../parts/diff.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { AcceptDialog, ChangedMeanwhile } from './accept-dialog.tsx';
import { DefinitionBadges } from './definition-badges.tsx';
import { DefinitionHistory } from './definition-history.tsx';
import { definitionKey, useHeldDefinitions } from './held-definitions.ts';

interface ServerChangesProps {
  readonly id: string;
  readonly waiting: readonly ToolChange[];
}

/** Definitions that differ from the accepted ones. The person accepts exactly the definitions shown here. */
export function ServerChanges({ id, waiting }: ServerChangesProps) {
  const held = useHeldDefinitions(waiting);
  const [chosen, setChosen] = useState<readonly ToolChange[]>();
  const [isDisabling, setDisabling] = useState(false);
  const [accepted, setAccepted] = useState<readonly ToolChange[]>([]);
  const { shown } = held;
  const disable = async () => {
    await api(`/v1/servers/${encodeURIComponent(id)}`, { method: 'PATCH', body: { enabled: false } });
    setAccepted([]);
    await servers.refresh();
  };
  return (
    <>
      {accepted.length > 0 && <TakeBack accepted={accepted} disable={() => setDisabling(true)} />}
      {shown.length === 0 && <Empty text={t.servers.noChanges} />}
      {shown.length > 0 && <p class="faint">{t.servers.changesText}</p>}
      {held.isOld && <ChangedMeanwhile held={held} />}
      {shown.length > 0 && mayChange.value && (
        <div class="actions">
          <button type="button" class="primary" disabled={held.isOld} onClick={() => setChosen(shown)}>
            {t.servers.acceptAll(shown.length)}
          </button>
          <button type="button" class="danger" onClick={() => setDisabling(true)}>
            {t.servers.reject}
          </button>
        </div>
      )}
      {shown.map((change) => (
        <section key={definitionKey(change)} class="change">
          <header>
            <h2 class="mono">
              <Line text={change.original_name || t.servers.extras} max={100} />
            </h2>
            <DefinitionBadges change={change} />
            {mayChange.value && (
              <button type="button" disabled={held.isOld} onClick={() => setChosen([change])}>
                {t.servers.accept}
              </button>
            )}
          </header>
          <Diff text={change.diff} isEscaped />
        </section>
      ))}
      <DefinitionHistory id={id} newest={waiting.map(({ definition_sha256 }) => definition_sha256).join()} />
      {chosen && (
        <AcceptDialog
          id={id}
          held={held}
          names={new Set(chosen.map(({ original_name }) => original_name))}
          onAccepted={(now) => {
            setAccepted(now);
            setChosen(undefined);
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
      {isDisabling && (
        <ConfirmDialog
          title={t.servers.disableTitle(id)}
          text={t.servers.disableText}
          action={t.servers.disable}
          run={disable}
          onClose={() => setDisabling(false)}
        />
      )}
    </>
  );
}

/** An accepted definition cannot be held again: only its server can be disabled. */
function TakeBack({ accepted, disable }: { readonly accepted: readonly ToolChange[]; readonly disable: () => void }) {
  const names = accepted.map(({ original_name }) => original_name || t.servers.extras).join(', ');
  return (
    <div class="actions" role="status">
      <span>
        <Line text={t.servers.acceptedNow(names)} max={300} /> {t.servers.takeBack}
      </span>
      <button type="button" class="danger" onClick={disable}>
        {t.servers.disable}
      </button>
    </div>
  );
}
