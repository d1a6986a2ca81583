import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { isOwner, servers } from '../data/live.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { go, href } from '../data/router.ts';
import type { ServerTest, TestStep } from '../data/types.ts';
import { watchWork } from '../data/work.ts';
import { ActionButton, Badge, Empty, PageTitle } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { t } from '../texts.ts';
import { ServerCatalog } from './server-catalog.tsx';
import { TestSteps } from './server-test.tsx';
import { brokenJsonAt, type UnderstoodServer, understandServer, whyNotUnderstood } from './understand-server.ts';

/** One field that accepts a URL, a command or a config; Bindery tests the server before it writes anything. */
export function AddServer() {
  return (
    <>
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('servers')}>{t.pages.servers}</a> / {t.servers.add}
      </nav>
      <PageTitle title={t.servers.add} />
      {isOwner.value ? (
        <AddByText />
      ) : (
        <Empty text={needsAdmin(t.servers.toAdd)}>
          <a class="button" href={href('sign-in')}>
            {t.signIn.title}
          </a>
        </Empty>
      )}
    </>
  );
}

function AddByText() {
  const [text, setText] = useState('');
  const found = understandServer(text);
  return (
    <div class="reading">
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
      {text.trim() !== '' && found.length === 0 && <p class="failed-text">{whyNot(text)}</p>}
      {found.length > 1 && <AddAll found={found} />}
      {found.map((server) => (
        <Understood key={JSON.stringify(server)} server={server} />
      ))}
      {found.length === 0 && <ServerCatalog onChoose={setText} />}
    </div>
  );
}

function whyNot(text: string): string {
  const broken = brokenJsonAt(text);
  return broken ? t.servers.brokenJson(broken.line, broken.column) : t.servers[whyNotUnderstood(text)];
}

/** Adds several at once, as they are written; skips a server whose name exists. */
function AddAll({ found }: { readonly found: readonly UnderstoodServer[] }) {
  const [done, setDone] = useState<{ readonly added: readonly string[]; readonly leftOut: readonly string[] }>();
  const run = async () => {
    const known = new Set((servers.value ?? []).map(({ id }) => id));
    const [added, leftOut]: [string[], string[]] = [[], []];
    try {
      for (const { id, entry } of found) {
        if (known.has(id)) {
          leftOut.push(id);
          continue;
        }
        await api('/v1/config/servers', { method: 'POST', body: { id, entry } });
        known.add(id);
        added.push(id);
      }
    } finally {
      setDone({ added, leftOut });
      await servers.refresh();
    }
  };
  return (
    <div class="actions">
      {done === undefined && (
        <ActionButton label={t.servers.addAll(found.length)} busyLabel={t.servers.adding} run={run} />
      )}
      {done === undefined && <span class="faint">{t.servers.addAllText}</span>}
      {done && done.added.length > 0 && <Badge tone="ok">{t.servers.addedAll(done.added.join(', '))}</Badge>}
      {done && done.leftOut.length > 0 && <span>{t.servers.leftOutTaken(done.leftOut.join(', '))}</span>}
    </div>
  );
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function Understood({ server }: { readonly server: UnderstoodServer }) {
  const [typed, setTyped] = useState<string>();
  const [added, setAdded] = useState<string>();
  const id = typed ?? server.id;
  const isTaken = added === undefined && (servers.value ?? []).some((one) => one.id === id);
  return (
    <section class="understood">
      <h2>{t.servers.kinds[kindOf(server)]}</h2>
      <Json value={server.entry} />
      {server.entry.transport === 'stdio' && <p class="faint">{t.servers.runsHere}</p>}
      {added === undefined ? (
        <>
          <label>
            {t.servers.name}
            <input
              class="mono"
              value={id}
              pattern="[a-zA-Z0-9_\-]{1,64}"
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          {isTaken && <p class="failed-text">{t.servers.taken(id)}</p>}
          <TestThenAdd
            key={JSON.stringify(server.entry)}
            id={id}
            entry={server.entry}
            isAllowed={!isTaken && NAME.test(id)}
            onAdded={() => setAdded(id)}
          />
        </>
      ) : (
        <p>
          <Badge tone="ok">{t.servers.added(added)}</Badge> <a href={href('servers', added)}>{t.servers.open}</a>
        </p>
      )}
    </section>
  );
}

interface TestThenAddProps {
  readonly id: string;
  readonly entry: UnderstoodServer['entry'];
  readonly isAllowed: boolean;
  readonly onAdded: () => void;
}

/** Shows the steps while they run. A server that failed can still be added: a sign-in or a network may come later. */
function TestThenAdd({ id, entry, isAllowed, onAdded }: TestThenAddProps) {
  const [steps, setSteps] = useState<readonly TestStep[]>([]);
  const [result, setResult] = useState<ServerTest>();
  const test = async () => {
    setSteps([]);
    setResult(undefined);
    const tell = (step: TestStep) => setSteps((before) => [...before, step]);
    setResult(await watchWork<TestStep, ServerTest>('/v1/config/servers/test', { body: { id, entry } }, tell));
  };
  const add = async () => {
    await api('/v1/config/servers', { method: 'POST', body: { id, entry } });
    await servers.refresh();
    onAdded();
  };
  const addAndSignIn = async () => {
    await add();
    go(href('servers', id, 'sign-in'));
  };
  const isGood = result?.ok === true;
  const wantsSignIn = result?.needs_sign_in === true;
  return (
    <>
      {steps.length > 0 && <TestSteps steps={steps} result={result} />}
      <div class="actions">
        <ActionButton
          kind={isGood || wantsSignIn ? 'plain' : 'primary'}
          label={result ? t.servers.testAgain : t.servers.test}
          busyLabel={t.servers.testing}
          disabled={!isAllowed}
          run={test}
        />
        {result && (
          <ActionButton
            kind={isGood || wantsSignIn ? 'primary' : 'plain'}
            label={wantsSignIn ? t.servers.addAndSignIn : isGood ? t.servers.add : t.servers.addAnyway}
            busyLabel={t.servers.adding}
            disabled={!isAllowed}
            run={wantsSignIn ? addAndSignIn : add}
          />
        )}
        {!result && <span class="faint">{t.servers.testFirst}</span>}
      </div>
    </>
  );
}

function kindOf({ entry }: UnderstoodServer): 'command' | 'name' | 'url' {
  if (entry.transport === 'stdio') return 'command';
  return entry.identity === undefined ? 'url' : 'name';
}
