import { useEffect, useState } from 'preact/hooks';
import { api, listAll } from '../data/api.ts';
import { withoutSignInCommand } from '../data/format.ts';
import { mayChange, session } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import type { ServerDetail, SignInStep } from '../data/types.ts';
import { ActionButton, Ago, Badge, Empty, LoadedView } from '../parts/basics.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';

const REFRESH_MS = 1_000;
const NAMES = ['discover', 'register', 'consent', 'token'] as const;
const TONES = { running: 'asks', done: 'ok', failed: 'failed' } as const;

interface SignInProps {
  readonly server: ServerDetail;
  readonly refresh: () => void;
}

/** Each step of a sign-in: done, next, or failed with the reason. */
export function ServerSignIn({ server, refresh }: SignInProps) {
  const isPerUser = server.credentials === 'per_user';
  const steps = server.sign_in ?? [];
  const isNeeded = isPerUser ? (server.signed_in_at ?? null) === null : server.state === 'auth_required';
  if (!isPerUser && !isNeeded && steps.length === 0) return <Empty text={t.servers.noSignIn} />;
  return (
    <>
      {isPerUser ? <YourSignIn server={server} /> : <p>{isNeeded ? t.servers.signInNeeded : t.servers.signedIn}</p>}
      {isNeeded && !isPerUser && server.reason !== null && (
        <p class="faint">
          <Line text={withoutSignInCommand(server.reason)} max={400} />
        </p>
      )}
      <Steps steps={steps} />
      <BeginSignIn server={server} isNeeded={isNeeded} refresh={refresh} />
      {isPerUser && mayChange.value && <SignedInUsers key={server.signed_in_at} id={server.id} />}
    </>
  );
}

/** Whose sign-in the page shows, if each caller has their own. */
function YourSignIn({ server: { signed_in_at = null } }: { readonly server: ServerDetail }) {
  const you = session.value?.caller ?? t.servers.thisMachine;
  return (
    <>
      <p>{t.servers.perUser}</p>
      <p>
        <Badge tone={signed_in_at === null ? 'asks' : 'ok'}>
          {signed_in_at === null ? t.servers.youAreNot : t.servers.youAre}
        </Badge>{' '}
        <span class="mono">
          <Line text={you} max={100} />
        </span>{' '}
        {signed_in_at !== null && (
          <span class="faint">
            <Ago time={signed_in_at} />
          </span>
        )}
      </p>
    </>
  );
}

interface BeginProps extends SignInProps {
  readonly isNeeded: boolean;
}

function BeginSignIn({ server, isNeeded, refresh }: BeginProps) {
  const [url, setUrl] = useState<string>();
  const steps = server.sign_in ?? [];
  const isRunning = steps.some(({ state }) => state === 'running');
  const isPerUser = server.credentials === 'per_user';
  // After its last step the sign-in is stored, and the gateway connects to the server again.
  const isUnsettled = isNeeded && steps.length > 0 && steps.every(({ state }) => state !== 'failed');
  const isWatched = isRunning || isUnsettled;
  useEffect(() => {
    if (!isWatched) return;
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isWatched]);
  const begin = async () => {
    setUrl(undefined);
    const path = `/v1/servers/${encodeURIComponent(server.id)}/${isPerUser ? 'sign-in' : 'login'}`;
    // Show the steps while they happen, not only once the first address is known.
    const watching = setInterval(refresh, REFRESH_MS / 2);
    try {
      setUrl((await api<{ authorization_url: string }>(path, { method: 'POST', body: {} })).authorization_url);
    } finally {
      clearInterval(watching);
      refresh();
    }
  };
  // A caller with their own credential signs in for themselves; the admin signs in for all callers.
  const isAllowed = mayChange.value || (isPerUser && (session.value?.caller ?? null) !== null);
  return (
    <>
      {isAllowed && (isNeeded || isPerUser) && (
        <div class="actions">
          <ActionButton
            kind={isNeeded ? 'primary' : 'plain'}
            label={steps.length === 0 && isNeeded ? t.servers.signIn : t.servers.signInAgain}
            busyLabel={t.servers.discovering}
            run={begin}
          />
        </div>
      )}
      {url !== undefined && isRunning && /^https?:\/\//.test(url) && (
        <p>
          {t.servers.openToConsent}{' '}
          <a class="wrap mono" href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        </p>
      )}
    </>
  );
}

function Steps({ steps }: { readonly steps: readonly SignInStep[] }) {
  return (
    <ol class="steps" aria-live="polite">
      {NAMES.map((name) => (
        <Step key={name} name={name} step={steps.find((one) => one.name === name)} />
      ))}
    </ol>
  );
}

function Step({ name, step }: { readonly name: SignInStep['name']; readonly step: SignInStep | undefined }) {
  const { label, failed } = t.servers.oauth[name];
  return (
    <li>
      <Badge tone={step ? TONES[step.state] : 'off'} icon={step?.state === 'running' ? 'connecting' : undefined}>
        {label}
      </Badge>{' '}
      <span class="faint">
        {step?.detail && step.state !== 'failed' && <Line text={step.detail} max={300} />}{' '}
        {step && <Ago time={step.time} />}
      </span>
      {step && <Requests of={step} />}
      {step?.state === 'failed' && (
        <p class="failed-text">
          <Shown text={step.detail ?? ''} fold={600} />
        </p>
      )}
      {step?.state === 'failed' && <p>{step.next ?? failed}</p>}
    </li>
  );
}

/** The requests and responses of a step. */
function Requests({ of: { requests } }: { readonly of: SignInStep }) {
  if (requests.length === 0) return null;
  return (
    <ul class="requests mono">
      {requests.map(({ method, url, status, type }, index) => (
        <li key={index}>
          <Line text={`${method} ${url}`} max={300} /> →{' '}
          {status === null ? t.servers.noAnswer : <Line text={`${status} ${type ?? ''}`} max={120} />}
        </li>
      ))}
    </ul>
  );
}

interface Credential {
  readonly user: string;
  readonly updated_at: string;
}

function SignedInUsers({ id }: { readonly id: string }) {
  const loaded = useLoaded(() => listAll<Credential>('/v1/credentials', { server: id }), [id]);
  return (
    <>
      <h2>{t.servers.whoSignedIn}</h2>
      <LoadedView of={loaded} retry={loaded.refresh} rows={2}>
        {(users) =>
          users.length === 0 ? (
            <p class="faint">{t.settings.noCredentials}</p>
          ) : (
            <ul class="moments">
              {users.map(({ user, updated_at }) => (
                <li key={user}>
                  <span class="mono">
                    <Line text={user} max={100} />
                  </span>
                  <span class="faint">
                    <Ago time={updated_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
    </>
  );
}
