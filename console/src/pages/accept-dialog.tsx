import { api } from '../data/api.ts';
import { changes, servers } from '../data/live.ts';
import { useSettled } from '../data/settled.ts';
import type { ToolChange } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Diff } from '../parts/diff.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { DefinitionBadges, Flags } from './definition-badges.tsx';
import { EndOfLines } from './end-of-lines.tsx';
import { definitionKey, type HeldDefinitions } from './held-definitions.ts';
import { ReadBar, useHeldPageDown } from './read-bar.tsx';
import { useReadLines } from './read-lines.ts';

interface AcceptDialogProps {
  readonly id: string;
  readonly held: HeldDefinitions;
  /** Names of the tools that the person chose. */
  readonly names: ReadonlySet<string>;
  readonly onAccepted: (accepted: readonly ToolChange[]) => void;
  readonly onClose: () => void;
}

/** What would become callable, and the button after its last line; it works once every line has been on the screen. */
export function AcceptDialog({ id, held, names, onAccepted, onClose }: AcceptDialogProps) {
  const chosen = held.shown.filter(({ original_name }) => names.has(original_name));
  const keys = chosen.map(definitionKey);
  const lines = useReadLines();
  const unread = keys.filter((key) => !lines.isSeen(key));
  const isSettled = useSettled(`${keys.join()} ${unread.length} ${held.isOld}`);
  const [first] = unread;
  useHeldPageDown(first === undefined ? undefined : () => lines.scrollOn(first));
  const accept = async () => {
    const definitions = chosen.map(({ original_name, definition_sha256 }) => ({
      tool: original_name,
      sha256: definition_sha256,
    }));
    await api(`/v1/servers/${encodeURIComponent(id)}/accept`, { method: 'POST', body: { definitions } });
    onAccepted(chosen);
    await Promise.all([changes.refresh(), servers.refresh()]);
  };
  return (
    <Dialog title={t.servers.acceptTitle(chosen.length, id)} onClose={onClose} className="wide">
      <p>{t.servers.acceptMeans}</p>
      <Flags of={chosen} />
      {held.isOld && <ChangedMeanwhile held={held} />}
      {chosen.map((change) => (
        <section key={definitionKey(change)} class="change">
          <header>
            <h3 class="mono">
              <Line text={change.original_name || t.servers.extras} max={100} />
            </h3>
            <DefinitionBadges change={change} />
          </header>
          <Diff text={change.diff} isEscaped isWhole />
          <p class="faint mono wrap">{change.definition_sha256}</p>
          <EndOfLines of={definitionKey(change)} lines={lines} />
        </section>
      ))}
      <div class="actions decision">
        {first !== undefined ? (
          <ActionButton
            key="read"
            label={t.approvals.readOn(unread.reduce((sum, key) => sum + lines.left(key), 0))}
            run={async () => lines.scrollOn(first)}
          />
        ) : (
          <ActionButton
            key="accept"
            kind="primary"
            label={t.servers.acceptNow(chosen.length)}
            busyLabel={t.servers.accepting}
            disabled={!isSettled || held.isOld || chosen.length === 0}
            run={accept}
          />
        )}
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
        {first !== undefined && <ReadBar lines={lines} of={keys} />}
      </div>
    </Dialog>
  );
}

/** Until the person asks for it, what waits now is neither drawn nor accepted. */
export function ChangedMeanwhile({ held }: { readonly held: HeldDefinitions }) {
  return (
    <div class="changed-meanwhile" role="alert">
      <p>{t.servers.changedMeanwhile}</p>
      <button type="button" onClick={held.showNow}>
        {t.servers.showNow}
      </button>
    </div>
  );
}
