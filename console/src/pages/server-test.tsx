import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { count } from '../data/format.ts';
import type { ServerTest, TestStep } from '../data/types.ts';
import { Badge, Failure } from '../parts/basics.tsx';
import { Shown, WithCode } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** Tests a second connection beside the one in use; shows its steps, and where it stopped. */
export function TestButton({ id }: { readonly id: string }) {
  const [result, setResult] = useState<ServerTest>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setRunning(true);
    setError(undefined);
    setResult(undefined);
    try {
      setResult(await api<ServerTest>(`/v1/servers/${encodeURIComponent(id)}/test`, { method: 'POST', body: {} }));
    } catch (thrown) {
      setError(thrown);
    }
    setRunning(false);
  };
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => void run()}>
        {isRunning ? t.servers.testing : t.servers.test}
      </button>
      {error !== undefined && <Failure error={error} />}
      {result && <TestSteps steps={result.steps} result={result} />}
    </>
  );
}

const ERROR_CHARS = 2_000;
const NAMES = ['connect', 'initialize', 'list'] as const;
const TONES = { running: 'asks', done: 'ok', failed: 'failed' } as const;

/** A server that wants a sign-in has not failed. */
function toneOf({ state }: TestStep, result: ServerTest | undefined) {
  return state === 'failed' && result?.needs_sign_in === true ? 'asks' : TONES[state];
}

interface TestStepsProps {
  readonly steps: readonly TestStep[];
  readonly result?: ServerTest | undefined;
}

/** All three steps, including those still to come, each with its result. */
export function TestSteps({ steps, result }: TestStepsProps) {
  return (
    <div class="test-steps">
      <ol class="steps" aria-live="polite">
        {NAMES.map((name) => {
          const step = steps.findLast((one) => one.name === name);
          const isRunning = step?.state === 'running';
          return (
            <li key={name}>
              <Badge tone={step ? toneOf(step, result) : 'off'} icon={isRunning ? 'connecting' : undefined}>
                {t.servers.steps[name]}
              </Badge>
              <span class="faint">
                {step && !isRunning && step.ms > 0 && ` · ${count(step.ms)} ms`}
                {isRunning && ` · ${t.common.working}`}
                {name === 'initialize' && result?.protocol_version && ` · ${result.protocol_version}`}
                {name === 'list' && result?.ok === true && ` · ${t.servers.toolCount(result.tools ?? 0)}`}
              </span>
            </li>
          );
        })}
      </ol>
      {result?.needs_sign_in === true && <p role="status">{t.servers.wantsSignIn}</p>}
      {result && result.error !== null && !result.needs_sign_in && (
        <p class="failed-text">
          <WithCode text={result.error.slice(0, ERROR_CHARS)} />
        </p>
      )}
      {result && result.stderr !== null && (
        <>
          <h3>{t.servers.wrote}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre class="log short" tabIndex={0} role="region" aria-label={t.servers.wrote}>
            <Shown text={result.stderr} fold={4_000} />
          </pre>
        </>
      )}
    </div>
  );
}
