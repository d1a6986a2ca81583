import { useState } from 'preact/hooks';
import { api, listAll } from '../data/api.ts';
import { boundTo, isOwner, mayChange, policy, session, signedInAs, signOut } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { href } from '../data/router.ts';
import type { Key } from '../data/types.ts';
import { choice, setTheme, THEMES } from '../frame/theme.ts';
import { ActionButton, Ago, Badge, CopyButton, Empty, LoadedView, PageTitle, Scroll, Tabs } from '../parts/basics.tsx';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { BeyondProfile, isRefusedToKeys, NotForKeys } from '../parts/refused.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { connectLink } from './connect-client.tsx';
import { EffectiveSettings } from './effective-settings.tsx';
import { Findings, Nodes } from './set-up.tsx';
import { settingsTabs } from './settings-tabs.ts';

export function SettingsPage({ path }: { readonly path: readonly string[] }) {
  const tabs = settingsTabs();
  const isBeyondProfile =
    boundTo.value !== undefined && path[0] !== undefined && path[0] in t.settings.tabs && path[0] !== 'gateway';
  const open = path[0] === undefined ? tabs[0] : tabs.find((one) => one === path[0]);
  return (
    <>
      <PageTitle title={t.pages.settings} />
      <Tabs
        tabs={tabs.map((one) => ({ label: t.settings.tabs[one], link: href('settings', one), isOpen: one === open }))}
      />
      {isBeyondProfile && <BeyondProfile />}
      {open === undefined && !isBeyondProfile && (
        <Empty text={t.settings.noSection(path[0] ?? '')}>
          <a class="button" href={href('settings', 'keys')}>
            {t.settings.tabs.keys}
          </a>
        </Empty>
      )}
      {open === 'keys' && <Keys />}
      {open === 'users' && <Users />}
      {open === 'nodes' && <Nodes />}
      {open === 'config' &&
        (isRefusedToKeys() ? <NotForKeys what={t.settings.toSeeSettings} /> : <EffectiveSettings />)}
      {open === 'findings' && (isRefusedToKeys() ? <NotForKeys what={t.settings.toSeeFindings} /> : <Findings />)}
      {open === 'gateway' && <GatewayFacts />}
    </>
  );
}

function Keys() {
  const loaded = useLoaded(() => listAll<Key>('/v1/keys'), []);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  return (
    <>
      <div class="actions">
        {isOwner.value ? (
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            {t.settings.createKey}
          </button>
        ) : (
          <span class="faint">{needsAdmin(t.settings.toChangeKeys)}</span>
        )}
      </div>
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty text={t.settings.noKeys}>
              <pre>bindery keys create my-agent</pre>
            </Empty>
          ) : (
            <Scroll>
              <table class="fold" style={{ '--fold': 'max-content minmax(0, 1fr)' }}>
                <thead>
                  <tr>
                    <th>{t.settings.state}</th>
                    <th>{t.settings.name}</th>
                    <th class="below">{t.settings.id}</th>
                    <th class="below">{t.settings.scopes}</th>
                    <th class="below">{t.settings.profiles}</th>
                    <th class="below">{t.settings.created}</th>
                    <th class="below">
                      <span class="visually-hidden">{t.settings.actions}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {keys.map((key) => (
                    <tr key={key.id}>
                      <td>
                        <KeyState of={key} />
                      </td>
                      <td>
                        <Line text={key.name} max={80} />
                      </td>
                      <td class="mono below" data-label={t.settings.id}>
                        {key.id}
                      </td>
                      <td class="below" data-label={t.settings.scopes}>
                        {key.scopes.join(', ')}
                      </td>
                      <td class="below" data-label={t.settings.profiles}>
                        {key.profiles.length === 0 ? (
                          t.settings.allProfiles
                        ) : (
                          <Line text={key.profiles.join(', ')} max={80} />
                        )}
                      </td>
                      <td class="below" data-label={t.settings.created}>
                        <Ago time={key.created_at} />
                      </td>
                      <td class="number below">
                        {key.revoked_at === null && isOwner.value && (
                          <button type="button" class="danger" onClick={() => setRevoking(key)}>
                            {t.settings.revoke}
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </LoadedView>
      {isCreating && (
        <CreateKey
          onClose={() => {
            setCreating(false);
            loaded.refresh();
          }}
        />
      )}
      {revoking && (
        <ConfirmDialog
          title={t.settings.revokeTitle(revoking.name)}
          text={t.settings.revokeText}
          name={revoking.name}
          action={t.settings.revoke}
          run={() =>
            api(`/v1/keys/${encodeURIComponent(revoking.id)}`, { method: 'DELETE' }).then(() => loaded.refresh())
          }
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function KeyState({ of: { revoked_at, expires_at } }: { readonly of: Key }) {
  if (revoked_at !== null) return <Badge tone="off">{t.settings.revoked}</Badge>;
  if (expires_at !== null && Date.parse(expires_at) < Date.now()) return <Badge tone="off">{t.settings.expired}</Badge>;
  return <Badge tone="ok">{t.settings.active}</Badge>;
}

const SCOPES = ['call', 'read', 'register', 'admin'] as const;

function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['call']);
  const [bound, setBound] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('90d');
  const [secret, setSecret] = useState<string>();
  const create = async () => {
    const body = { name, scope: scopes.join(','), profile: bound, ...(expires === '' ? {} : { expires }) };
    setSecret((await api<{ key: string }>('/v1/keys', { method: 'POST', body })).key);
  };
  if (secret !== undefined) {
    return (
      <Dialog title={t.settings.keyCreated} onClose={onClose}>
        <p>{t.settings.shownOnce}</p>
        <pre class="wrap">{secret}</pre>
        <div class="actions">
          <CopyButton text={secret} />
          <button type="button" onClick={onClose}>
            {t.common.close}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.settings.createKey} onClose={onClose}>
      <label>
        {t.settings.keyName}
        <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>{t.settings.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="inline">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(event.currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
              }
            />
            <span>
              <code>{scope}</code> <span class="faint">{t.settings.scopeTexts[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t.settings.boundTo}</legend>
        {(policy.value?.approval ?? []).map(({ profile }) => (
          <label key={profile} class="inline">
            <input
              type="checkbox"
              checked={bound.includes(profile)}
              onChange={(event) =>
                setBound(event.currentTarget.checked ? [...bound, profile] : bound.filter((one) => one !== profile))
              }
            />
            <code>{profile}</code>
          </label>
        ))}
      </fieldset>
      <label>
        {t.settings.expires}
        <select value={expires} onChange={(event) => setExpires(event.currentTarget.value)}>
          {Object.entries(t.settings.lives).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="actions">
        <ActionButton
          kind="primary"
          label={t.settings.createKey}
          disabled={name.trim() === '' || scopes.length === 0}
          run={create}
        />
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}

interface Credential {
  readonly user: string;
  readonly server: string;
  readonly updated_at: string;
}

function Users() {
  const loaded = useLoaded(() => listAll<Credential>('/v1/credentials'), []);
  const [clearing, setClearing] = useState<Credential>();
  return (
    <>
      <h2>{t.settings.profiles}</h2>
      <LoadedView of={policy.state.value} retry={() => void policy.refresh()} rows={2}>
        {({ approval }) => (
          <Scroll>
            <table>
              <thead>
                <tr>
                  <th>{t.settings.profile}</th>
                  <th>{t.settings.surfaces}</th>
                </tr>
              </thead>
              <tbody>
                {approval.map(({ profile, surfaces }) => (
                  <tr key={profile}>
                    <td class="mono">{profile}</td>
                    <td>{surfaces.length === 0 ? t.settings.nowhere : surfaces.join(', ')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </LoadedView>
      <h2>{t.settings.credentials}</h2>
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(items) =>
          items.length === 0 ? (
            <Empty text={t.settings.noCredentials} />
          ) : (
            <Scroll>
              <table>
                <thead>
                  <tr>
                    <th>{t.settings.user}</th>
                    <th>{t.settings.server}</th>
                    <th>{t.settings.updated}</th>
                    <th>
                      <span class="visually-hidden">{t.settings.actions}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((item) => (
                    <tr key={`${item.user} ${item.server}`}>
                      <td>
                        <Line text={item.user} max={80} />
                      </td>
                      <td class="mono">{item.server}</td>
                      <td>
                        <Ago time={item.updated_at} />
                      </td>
                      <td class="number">
                        {mayChange.value && (
                          <button type="button" class="danger" onClick={() => setClearing(item)}>
                            {t.settings.clear}
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </LoadedView>
      {clearing && (
        <ConfirmDialog
          title={t.settings.clearTitle(clearing.user, clearing.server)}
          text={t.settings.clearText}
          name={clearing.server}
          action={t.settings.clear}
          run={() =>
            api(`/v1/credentials/${encodeURIComponent(clearing.server)}/${encodeURIComponent(clearing.user)}`, {
              method: 'DELETE',
            }).then(() => loaded.refresh())
          }
          onClose={() => setClearing(undefined)}
        />
      )}
    </>
  );
}

function GatewayFacts() {
  const about = session.value;
  return (
    <>
      <dl class="facts">
        <dt>{t.settings.version}</dt>
        <dd>{about?.version}</dd>
        <dt>{t.settings.endpoint}</dt>
        <dd>
          <span class="mono">{about?.url}/mcp</span> · <a href={connectLink()}>{t.connect.title}</a>
        </dd>
        <dt>{t.settings.rooms}</dt>
        <dd>{about?.rooms.join(', ')}</dd>
        <dt>{t.settings.you}</dt>
        <dd>
          {about && t.settings.roles[about.role]}{' '}
          {signedInAs.value !== undefined && (
            <>
              · <Line text={t.signIn.as(signedInAs.value)} max={80} />{' '}
              <button type="button" onClick={signOut}>
                {t.signIn.signOut}
              </button>
            </>
          )}
        </dd>
        <dt>{t.settings.theme}</dt>
        <dd>
          <div class="segmented" role="group" aria-label={t.settings.theme}>
            {THEMES.map((one) => (
              <button key={one} type="button" aria-pressed={one === choice.value} onClick={() => setTheme(one)}>
                {t.themes[one]}
              </button>
            ))}
          </div>
        </dd>
      </dl>
      <p>
        <a href="/reference">{t.settings.reference}</a> · <a href="/openapi.json">OpenAPI</a>
      </p>
    </>
  );
}
