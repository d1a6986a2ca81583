import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../data/api.ts';
import { clock, day, span } from '../data/format.ts';
import { now } from '../data/live.ts';
import type { Loaded } from '../data/loaded.ts';
import { isEvent, outcomeOf } from '../data/outcomes.ts';
import type { Call, Server, Verdict } from '../data/types.ts';
import { t } from '../texts.ts';
import { Icon, type IconName } from './icons.tsx';
import { Line, Shown, WithCode } from './shown.tsx';

type Tone = 'ok' | 'asks' | 'warning' | 'failed' | 'off';

interface BadgeProps {
  readonly tone: Tone;
  readonly icon?: IconName | undefined;
  readonly children: ComponentChildren;
}

/** A state: an icon and a word, never colour alone. */
export function Badge({ tone, icon = tone, children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

export function ServerState({ server }: { readonly server: Server }) {
  if (server.state === 'ready' && server.breaker.state === 'open')
    return <Badge tone="failed">{t.states.breakerOpen}</Badge>;
  switch (server.state) {
    case 'ready':
      return server.held > 0 ? (
        <Badge tone="asks">{t.states.held}</Badge>
      ) : (
        <Badge tone="ok">{server.connected ? t.states.ready : t.states.idle}</Badge>
      );
    case 'connecting':
      return (
        <Badge tone="off" icon="connecting">
          {t.states.connecting}
        </Badge>
      );
    case 'auth_required':
      return <Badge tone="asks">{t.states.signIn}</Badge>;
    case 'error':
      return <Badge tone="failed">{t.states.error}</Badge>;
    case 'disabled':
      return <Badge tone="off">{t.states.disabled}</Badge>;
  }
}

const VERDICT_TONE = { allow: 'ok', deny: 'failed', approval: 'asks' } as const;

export function VerdictBadge({ verdict }: { readonly verdict: Verdict }) {
  return <Badge tone={VERDICT_TONE[verdict]}>{t.verdicts[verdict]}</Badge>;
}

export function outcomeTone(outcome: string | undefined): Tone {
  if (outcome === undefined) return 'off';
  if (outcome === 'ok') return 'ok';
  if (outcome === 'undecided') return 'asks';
  if (outcome === 'denied' || outcome === 'rate_limited' || outcome === 'breaker_open') return 'warning';
  return outcome === 'cancelled' ? 'off' : 'failed';
}

export function OutcomeBadge({ call }: { readonly call: Pick<Call, 'kind' | 'outcome' | 'rule'> }) {
  const outcome = outcomeOf(call);
  if (isEvent(call)) return <span class="faint">{t.outcomes.none}</span>;
  const tone = outcomeTone(outcome);
  const word = outcome === undefined ? t.outcomes.running : outcome.replaceAll('_', ' ');
  return (
    <Badge tone={tone} icon={outcome === undefined ? 'connecting' : tone}>
      {word}
    </Badge>
  );
}

/** Relative, with the exact time in the document and on hover. */
export function Ago({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={`${day(time)} ${clock(time)}`}>
      {t.common.ago(span(now.value - Date.parse(time)))}
    </time>
  );
}

export function Empty({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <Line text={text} max={400} />
      </p>
      {children}
    </div>
  );
}

/** An error with its code, what to do next, and its id in the log. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div class="failure" role="alert">
      <Icon name="failed" />
      <div>
        <p>
          <strong>{problem ? problem.message : t.common.unreachable}</strong>
          {problem?.detail !== undefined && (
            <>
              {': '}
              <Shown text={problem.detail} fold={400} />
            </>
          )}
        </p>
        <p class="faint">
          <WithCode text={(problem ? problem.next : t.common.unreachableNext) ?? ''} />{' '}
          {problem && <code>{problem.code}</code>}
          {problem?.requestId !== undefined && (
            <>
              {' '}
              <code>{problem.requestId}</code>
            </>
          )}
        </p>
        {(problem?.status === 401 || problem?.status === 403) && (
          <a class="button" href="#/sign-in">
            {t.signIn.title}
          </a>
        )}
        {retry && (
          <button type="button" onClick={retry}>
            {t.common.retry}
          </button>
        )}
      </div>
    </div>
  );
}

/** Placeholders of the final size while something loads. */
export function Skeleton({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t.common.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  );
}

/** A figure of a table that is not known yet. */
export function Unknown() {
  return <span class="unknown" role="img" aria-label={t.common.loading} />;
}

interface LoadedViewProps<T> {
  readonly of: Loaded<T>;
  readonly retry?: (() => void) | undefined;
  readonly rows?: number;
  readonly children: (value: T) => ComponentChildren;
}

/** Skeleton, failure or content; a failure after a first answer is shown above the content. */
export function LoadedView<T>({ of: { value, error }, retry, rows, children }: LoadedViewProps<T>) {
  return (
    <>
      {error !== undefined && <Failure error={error} retry={retry} />}
      {value !== undefined ? children(value) : error === undefined && <Skeleton rows={rows ?? 5} />}
    </>
  );
}

export function CopyButton({ text, label = t.common.copy }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    );
    setTimeout(() => setState('idle'), 2_000);
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      <Icon name={state === 'done' ? 'ok' : 'copy'} />
      {state === 'idle' ? label : state === 'done' ? t.common.copied : t.common.copyFailed}
    </button>
  );
}

/** A button that shows progress until the server has answered, and the error if it refused. */
export function ActionButton(props: {
  readonly label: string;
  readonly busyLabel?: string;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly disabled?: boolean;
  readonly title?: string;
  readonly run: () => Promise<unknown>;
  readonly onError?: (error: unknown) => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isMounted = useRef(true);
  useEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await props.run();
    } catch (thrown) {
      if (props.onError) props.onError(thrown);
      else if (isMounted.current) setError(thrown);
    }
    if (isMounted.current) setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        class={props.kind ?? 'plain'}
        disabled={isBusy || props.disabled === true}
        title={props.title}
        onClick={() => void run()}
      >
        {isBusy ? (props.busyLabel ?? t.common.working) : props.label}
      </button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}

export function PageTitle({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <header class="page-title">
      <h1>
        <Line text={title} max={120} />
      </h1>
      {children}
    </header>
  );
}

/** Tabs as links: each has an address. */
export function Tabs({
  tabs,
}: {
  readonly tabs: readonly { label: string; link: string; isOpen: boolean; count?: number }[];
}) {
  const place = useRef<HTMLElement>(null);
  const open = tabs.find(({ isOpen }) => isOpen)?.link;
  // In a narrow window the open tab may be outside of the visible area.
  useEffect(() => {
    const nav = place.current;
    const current = nav?.querySelector('[aria-current]');
    if (!nav || !current) return;
    nav.scrollLeft += Math.max(0, current.getBoundingClientRect().right - nav.getBoundingClientRect().right);
  }, [open]);
  return (
    <nav class="tabs" aria-label={t.common.sections} ref={place}>
      {tabs.map(({ label, link, isOpen, count }) => (
        <a key={link} href={link} aria-current={isOpen ? 'page' : undefined}>
          {label}
          {count !== undefined && count > 0 && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** Scrolls content that may be wider than the page; focusable while it scrolls. */
export function Scroll({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth));
    for (const one of [element, ...element.children]) observer.observe(one);
    return () => observer.disconnect();
  }, []);
  const reached = isWide ? { tabIndex: 0, role: 'region' as const, 'aria-label': t.common.scrolls } : {};
  return (
    <div class="scroll" ref={place} {...reached}>
      {children}
    </div>
  );
}
