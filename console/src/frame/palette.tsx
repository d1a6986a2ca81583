import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { span } from '../data/format.ts';
import { now, pending, servers, signedInAs, signOut, tools, wantTools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { argumentsLine } from '../data/one-line.ts';
import { go, href } from '../data/router.ts';
import { connectLink } from '../pages/connect-client.tsx';
import { settingsTabs } from '../pages/settings-tabs.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { shownPages } from './pages.ts';

interface Target {
  readonly icon: IconName;
  readonly text: string;
  /** What tells it from others of the same text; the gateway has escaped it. */
  readonly detail?: string;
  readonly kind: string;
  readonly link: string;
  /** Runs instead of opening the link. */
  readonly run?: () => void;
}

const SHOWN = 12;

/** A page of the documentation, with its headings and their anchors. */
interface DocsPage {
  readonly href: string;
  readonly title: string;
  readonly headings: readonly (readonly [text: string, id: string])[];
}

/** Parts of pages that people look for by name. */
function parts(): Target[] {
  const settings = settingsTabs().map((tab) => ({ page: 'settings', tab, label: t.settings.tabs[tab] }) as const);
  const civic = Object.entries(t.civic.tabs).map(([tab, label]) => ({ page: 'civic', tab, label }) as const);
  const shown = new Set<string>(shownPages().map(({ id }) => id));
  return [...settings, ...civic]
    .filter(({ page }) => shown.has(page))
    .map(({ page, tab, label }) => ({
      icon: page,
      text: `${t.pages[page]}: ${label}`,
      kind: t.palette.page,
      link: href(page, tab),
    }));
}

function targets(docs: readonly DocsPage[]): Target[] {
  return [
    ...shownPages().map(({ id }) => ({ icon: id, text: t.pages[id], kind: t.palette.page, link: href(id) })),
    { icon: 'overview', text: t.connect.title, kind: t.palette.page, link: connectLink() },
    ...(signedInAs.value === undefined
      ? []
      : [
          {
            icon: 'key' as const,
            text: t.signIn.signOut,
            kind: t.palette.action,
            link: href('sign-in'),
            run: signOut,
          },
        ]),
    ...(pending.value ?? []).map(({ id, server, tool, created_at, ...approval }) => ({
      icon: 'approvals' as const,
      text: `${server} / ${tool}`,
      detail: argumentsLine(approval),
      kind: t.palette.approval(span(now.value - Date.parse(created_at))),
      link: href('approvals', id),
    })),
    ...(servers.value ?? []).map(({ id }) => ({
      icon: 'servers' as const,
      text: id,
      kind: t.palette.server,
      link: href('servers', id),
    })),
    ...parts(),
    ...(tools.value ?? []).map(({ name, server, original_name }) => ({
      icon: 'tools' as const,
      text: `${server} / ${original_name}`,
      kind: t.palette.tool,
      link: href('tools', name),
    })),
    ...docs.flatMap((page) => docsTargets(page)),
  ];
}

function docsTargets({ href: link, title, headings }: DocsPage): Target[] {
  const target = (text: string, at: string) => ({ icon: 'context' as const, text, kind: t.palette.docs, link: at });
  return [target(title, link), ...headings.map(([text, id]) => target(`${title}: ${text}`, `${link}#${id}`))];
}

/** Matches the letters in order, the closer together the better; undefined: no match. */
function score(text: string, wanted: string): number | undefined {
  const at = text.indexOf(wanted);
  if (at >= 0) return at;
  let place = -1;
  let gaps = 0;
  for (const letter of wanted) {
    const next = text.indexOf(letter, place + 1);
    if (next < 0) return undefined;
    gaps += next - place - 1;
    place = next;
  }
  return 100 + gaps;
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  useEffect(wantTools, []);
  const docs = useLoaded(() => api<DocsPage[]>('/docs/search.json'), []).value;
  const all = useMemo(() => targets(docs ?? []), [servers.value, tools.value, pending.value, signedInAs.value, docs]);
  const wanted = query.toLowerCase().replaceAll(/\s+/g, '');
  const found = all
    .map((target) => ({
      target,
      rank: score(`${target.text}${target.detail ?? ''}`.toLowerCase().replaceAll(' ', ''), wanted),
    }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank as number) - (b.rank as number))
    .slice(0, SHOWN)
    .map(({ target }) => target);
  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    if (target.run) target.run();
    else if (target.link.startsWith('#')) go(target.link);
    else location.assign(target.link);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(found[at]);
    }
  };
  return (
    <Dialog title={t.palette.title} onClose={onClose} className="palette">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${at}` : undefined}
        aria-label={t.frame.search}
        placeholder={t.palette.hint}
        value={query}
        autoFocus
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label={t.palette.title}>
        {found.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys.
          <div
            key={target.link}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => open(target)}
          >
            <Icon name={target.icon} />
            <span class="grow">
              <Line text={target.text} max={120} />
              {target.detail !== undefined && (
                <span class="detail-line mono faint">
                  <Line text={target.detail} max={80} isEscaped />
                </span>
              )}
            </span>
            <span class="faint">{target.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="faint">{t.palette.none}</p>}
    </Dialog>
  );
}
