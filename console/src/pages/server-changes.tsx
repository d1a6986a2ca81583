import { api } from '../data/api.ts';
import { changes, mayChange, servers } from '../data/live.ts';
import type { ToolChange } from '../data/types.ts';
import { ActionButton, Badge, Empty } from '../parts/basics.tsx';
import { Diff } from '../parts/diff.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { DefinitionHistory } from './definition-history.tsx';

interface ServerChangesProps {
  readonly id: string;
  readonly waiting: readonly ToolChange[];
}

/** Definitions that differ from the accepted ones. The person accepts exactly the definitions shown here. */
export function ServerChanges({ id, waiting }: ServerChangesProps) {
  const accept = async (seen: readonly ToolChange[]) => {
    const definitions = seen.map(({ original_name, definition_sha256 }) => ({
      tool: original_name,
      sha256: definition_sha256,
    }));
    await api(`/v1/servers/${encodeURIComponent(id)}/accept`, { method: 'POST', body: { definitions } });
    await Promise.all([changes.refresh(), servers.refresh()]);
  };
  const reject = async () => {
    await api(`/v1/servers/${encodeURIComponent(id)}`, { method: 'PATCH', body: { enabled: false } });
    await servers.refresh();
  };
  if (waiting.length === 0) {
    return (
      <>
        <Empty text={t.servers.noChanges} />
        <DefinitionHistory id={id} newest="" />
      </>
    );
  }
  return (
    <>
      <p class="faint">{t.servers.changesText}</p>
      {mayChange.value && (
        <div class="actions">
          <ActionButton kind="primary" label={t.servers.acceptAll(waiting.length)} run={() => accept(waiting)} />
          <ActionButton kind="danger" label={t.servers.reject} run={reject} />
        </div>
      )}
      {waiting.map((change) => (
        <section key={`${change.original_name} ${change.definition_sha256}`} class="change">
          <header>
            <h2 class="mono">
              <Line text={change.original_name || t.servers.extras} max={100} />
            </h2>
            <Badge tone={change.status === 'active' ? 'off' : 'warning'}>
              {change.accepted_sha256 === null ? t.servers.newDefinition : t.servers.changedDefinition}
            </Badge>
            {change.flags.map((flag) => (
              <Badge key={flag} tone="failed">
                {flag.replaceAll('_', ' ')}
              </Badge>
            ))}
            {mayChange.value && <ActionButton label={t.servers.accept} run={() => accept([change])} />}
          </header>
          <Diff text={change.diff} isEscaped />
        </section>
      ))}
      <DefinitionHistory id={id} newest={waiting.map(({ definition_sha256 }) => definition_sha256).join()} />
    </>
  );
}
