import { useEffect, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange } from '../data/live.ts';
import type { ServerDetail, SignInStep } from '../data/types.ts';
import { ActionButton, Ago, Badge, Empty } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

const REFRESH_MS = 1_000;
const NAMES = ['discover', 'register', 'consent', 'token'] as const;
const TONES = { running: 'asks', done: 'ok', failed: 'failed' } as const;

interface SignInProps {
  readonly server: ServerDetail;
  readonly refresh: () => void;
}

/** Each step of a sign-in: what is done, what comes next, and what failed and why. */
export function ServerSignIn({ server, refresh }: SignInProps) {
  const [url, setUrl] = useState<string>();
  const isNeeded = server.state === 'auth_required';
  const steps = server.sign_in ?? [];
  const isRunning = steps.some(({ state }) => state === 'running');
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const begin = async () => {
    const path = `/v1/servers/${encodeURIComponent(server.id)}/login`;
    try {
      setUrl((await api<{ authorization_url: string }>(path, { method: 'POST', body: {} })).authorization_url);
    } finally {
      refresh();
    }
  };
  if (!isNeeded && steps.length === 0) return <Empty text={t.servers.noSignIn} />;
  return (
    <>
      <p>{isNeeded ? t.servers.signInNeeded : t.servers.signedIn}</p>
      {isNeeded && server.reason !== null && (
        <p class="faint">
          <Line text={server.reason} max={400} />
        </p>
      )}
      <ol class="steps" aria-live="polite">
        {NAMES.map((name) => (
          <Step key={name} name={name} step={steps.find((one) => one.name === name)} />
        ))}
      </ol>
      {mayChange.value && isNeeded && (
        <div class="actions">
          <ActionButton
            kind="primary"
            label={steps.length === 0 ? t.servers.signIn : t.servers.signInAgain}
            busyLabel={t.servers.discovering}
            run={begin}
          />
        </div>
      )}
      {url !== undefined && isNeeded && /^https?:\/\//.test(url) && (
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

function Step({ name, step }: { readonly name: SignInStep['name']; readonly step: SignInStep | undefined }) {
  const { label, failed } = t.servers.oauth[name];
  return (
    <li>
      <Badge tone={step ? TONES[step.state] : 'off'} icon={step?.state === 'running' ? 'connecting' : undefined}>
        {label}
      </Badge>{' '}
      <span class="faint">
        {step?.detail && <Line text={step.detail} max={300} />} {step && <Ago time={step.time} />}
      </span>
      {step?.state === 'failed' && <p class="failed-text">{failed}</p>}
    </li>
  );
}
