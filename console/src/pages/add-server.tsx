import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange, servers } from '../data/live.ts';
import { href } from '../data/router.ts';
import { ActionButton, Badge, Empty, PageTitle } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { t } from '../texts.ts';
import { TestButton } from './server.tsx';
import { type UnderstoodServer, understandServer } from './understand-server.ts';

/** One field that understands what people have at hand; what was understood is shown before anything is written. */
export function AddServer() {
  const [text, setText] = useState('');
  const found = understandServer(text);
  if (!mayChange.value) return <Empty text={t.servers.addNeedsSignIn} />;
  return (
    <>
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('servers')}>{t.pages.servers}</a> / {t.servers.add}
      </nav>
      <PageTitle title={t.servers.add} />
      <label>
        {t.servers.addField}
        <textarea
          class="mono"
          rows={4}
          value={text}
          placeholder={t.servers.addHint}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {text.trim() !== '' && found.length === 0 && <p class="failed-text">{t.servers.notUnderstood}</p>}
      {found.map((server, index) => (
        <Understood key={index} server={server} />
      ))}
    </>
  );
}

function Understood({ server }: { readonly server: UnderstoodServer }) {
  const [typed, setTyped] = useState<string>();
  const [added, setAdded] = useState<string>();
  const id = typed ?? server.id;
  const isTaken = added === undefined && (servers.value ?? []).some((one) => one.id === id);
  const add = async () => {
    await api('/v1/config/servers', { method: 'POST', body: { id, entry: server.entry } });
    await servers.refresh();
    setAdded(id);
  };
  return (
    <section class="understood">
      <h2>{t.servers.kinds[kindOf(server)]}</h2>
      <Json value={server.entry} />
      {server.entry.transport === 'stdio' && <p class="faint">{t.servers.runsHere}</p>}
      {added === undefined ? (
        <div class="actions">
          <label>
            {t.servers.name}
            <input
              class="mono"
              value={id}
              pattern="[a-zA-Z0-9_\-]{1,64}"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          <ActionButton
            kind="primary"
            label={t.servers.addAndTest}
            busyLabel={t.servers.adding}
            disabled={isTaken || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)}
            run={add}
          />
          {isTaken && <span class="failed-text">{t.servers.taken(id)}</span>}
        </div>
      ) : (
        <>
          <p>
            <Badge tone="ok">{t.servers.added(added)}</Badge> <a href={href('servers', added)}>{t.servers.open}</a>
          </p>
          <TestButton id={added} isAuto />
        </>
      )}
    </section>
  );
}

function kindOf({ entry }: UnderstoodServer): 'command' | 'name' | 'url' {
  if (entry.transport === 'stdio') return 'command';
  return entry.identity === undefined ? 'url' : 'name';
}
