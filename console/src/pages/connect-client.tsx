import { useEffect, useRef, useState } from 'preact/hooks';
import { session } from '../data/live.ts';
import { href, route, setQuery, withQuery } from '../data/router.ts';
import { CopyButton } from '../parts/basics.tsx';
import { t } from '../texts.ts';
import { CLIENTS, makeKey } from './client-snippets.ts';

/** The address at which it is open. */
export function connectLink(): string {
  return withQuery(href('overview'), { connect: 'open' });
}

/** Open until the first call; collapsed afterwards. */
export function ConnectClient({ isNeeded }: { readonly isNeeded: boolean }) {
  const element = useRef<HTMLDetailsElement>(null);
  // The first call must not close it while a person reads.
  const wasNeeded = useRef(isNeeded).current;
  const asked = route.value.query.get('connect');
  const isOpen = asked === null ? wasNeeded : asked === 'open';
  useEffect(() => {
    if (asked === 'open') element.current?.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  const onToggle = () => {
    const now = element.current?.open ?? isOpen;
    if (now !== isOpen) setQuery({ connect: now ? 'open' : 'closed' });
  };
  return (
    <details class="connect" ref={element} open={isOpen} onToggle={onToggle}>
      <summary>
        <h2>{t.connect.title}</h2>
      </summary>
      <Snippets />
    </details>
  );
}

function Snippets() {
  const [at, setAt] = useState(0);
  const client = CLIENTS[at] ?? CLIENTS[0];
  const keyNeeded = session.value?.key_needed ?? false;
  const text = client?.snippet(`${session.value?.url ?? location.origin}/mcp`, keyNeeded) ?? '';
  return (
    <>
      <p class="faint">{t.connect.text}</p>
      <div class="segmented wrap" role="group" aria-label={t.connect.client}>
        {CLIENTS.map(({ name }, index) => (
          <button key={name} type="button" aria-pressed={index === at} onClick={() => setAt(index)}>
            {name}
          </button>
        ))}
      </div>
      <Snippet label={client?.name} text={text} />
      {keyNeeded && client?.key !== undefined && (
        <>
          <p class="faint">{t.connect.key}</p>
          <Snippet label={t.connect.keyCommand} text={makeKey(client.key)} />
        </>
      )}
    </>
  );
}

function Snippet({ label, text }: { readonly label: string | undefined; readonly text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </>
  );
}
