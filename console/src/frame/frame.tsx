import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { lostSince } from '../data/events.ts';
import { span } from '../data/format.ts';
import {
  boundTo,
  failing,
  hasEnded,
  isSignInNeeded,
  now,
  pending,
  servers,
  session,
  signedInAs,
  signOut,
} from '../data/live.ts';
import { href, route } from '../data/router.ts';
import { perBrowser } from '../data/stores.ts';
import { Icon } from '../parts/icons.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { type PageEntry, shownPages } from './pages.ts';
import { Palette } from './palette.tsx';
import { choice, nextTheme } from './theme.ts';

const over = perBrowser<'none' | 'palette' | 'keys' | 'more'>('none');
/** Number of entries in the bar at the bottom of a narrow window. */
const BAR_ENTRIES = 4;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    over.value = 'palette';
  } else if (event.key === '?' && !isTyping(event.target) && document.querySelector('dialog[open]') === null) {
    over.value = 'keys';
  }
}

export function Frame({ children }: { readonly children: ComponentChildren }) {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const open = isSignInNeeded.value ? 'sign-in' : (route.value.path[0] ?? 'overview');
  const title = t.pages[open as PageEntry['id']] ?? (open === 'sign-in' ? t.signIn.title : t.common.noPageTitle);
  const waiting = pending.value?.length ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} · Bindery`;
  }, [waiting, title]);
  const close = () => {
    over.value = 'none';
  };
  // Whichever way one came to another page.
  useEffect(() => {
    if (over.peek() === 'more') close();
  }, [open]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        {t.frame.skip}
      </button>
      <Sidebar open={open} />
      <div class="main">
        <TopBar />
        <Notices />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <div class="visually-hidden" role="status" aria-live="polite">
        {waiting > 0 ? t.frame.waiting(waiting) : ''}
      </div>
      {over.value === 'palette' && <Palette onClose={close} />}
      {over.value === 'keys' && <KeysDialog onClose={close} />}
    </div>
  );
}

function focusContent(): void {
  document.getElementById('content')?.focus();
}

function Sidebar({ open }: { readonly open: string }) {
  const pages = shownPages();
  const [first, rest] = [pages.slice(0, BAR_ENTRIES), pages.slice(BAR_ENTRIES)];
  const isMore = over.value === 'more';
  return (
    <nav class="sidebar" aria-label={t.frame.pages}>
      <a class="brand" href={href('overview')}>
        <span class="mark" aria-hidden="true">
          B
        </span>
        <span class="word">Bindery</span>
      </a>
      <ul class={isMore ? 'more-open' : ''}>
        {[...first, ...rest].map((page, index) => (
          <li
            key={page.id}
            class={`${index >= BAR_ENTRIES ? 'beyond' : ''} ${index > 0 && pages[index - 1]?.group !== page.group ? 'group' : ''}`}
          >
            <PageLink page={page} isOpen={page.id === open} />
          </li>
        ))}
        {signedInAs.value !== undefined && (
          <li class="beyond account">
            <button type="button" onClick={endSession}>
              <Icon name="key" />
              <span class="word">{t.signIn.signOut}</span>
              <span class="who faint">
                <Line text={signedInAs.value} max={30} />
              </span>
            </button>
          </li>
        )}
        <li class="more">
          <button
            type="button"
            class={rest.some(({ id }) => id === open) ? 'current' : ''}
            aria-expanded={isMore}
            onClick={() => {
              over.value = isMore ? 'none' : 'more';
            }}
          >
            <Icon name="more" />
            <span class="word">{t.frame.more}</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

function PageLink({ page, isOpen }: { readonly page: PageEntry; readonly isOpen: boolean }) {
  const count = page.count?.() ?? 0;
  return (
    <a
      href={href(page.id)}
      aria-current={isOpen ? 'page' : undefined}
      title={t.pages[page.id]}
      onClick={() => {
        over.value = 'none';
      }}
    >
      <Icon name={page.id} />
      <span class="word">{t.pages[page.id]}</span>
      {count > 0 && (
        <span class="count">
          {count}
          <span class="visually-hidden"> {t.frame.needYou}</span>
        </span>
      )}
    </a>
  );
}

function TopBar() {
  const all = servers.value;
  const bad = failing.value.length;
  return (
    <header class="topbar">
      <button
        type="button"
        class="search"
        onClick={() => {
          over.value = 'palette';
        }}
      >
        <Icon name="search" />
        <span>{t.frame.search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="topbar-end">
        {lostSince.value !== undefined && (
          <span class="health failed">
            <Icon name="warning" />
            {t.frame.away}
          </span>
        )}
        {all && boundTo.value === undefined && lostSince.value === undefined && (
          <a href={href('servers')} class={`health ${bad > 0 ? 'failed' : 'ok'}`}>
            <Icon name={bad > 0 ? 'warning' : 'ok'} />
            {bad > 0 ? t.frame.failing(bad, all.length) : t.frame.servers(all.length)}
          </a>
        )}
        <Account />
        <button type="button" class="quiet" onClick={nextTheme} title={t.frame.theme(t.themes[choice.value])}>
          <Icon name="theme" />
          <span class="visually-hidden">{t.frame.theme(t.themes[choice.value])}</span>
        </button>
      </div>
    </header>
  );
}

function endSession(): void {
  over.value = 'none';
  signOut();
}

/** Who is signed in, and the way out; or the way in. On a phone the menu has the way out. */
function Account() {
  const name = signedInAs.value;
  if (name !== undefined)
    return (
      <span class="account">
        <a href={href('sign-in')} title={t.signIn.as(name)}>
          <Icon name="key" />
          <span class="visually-hidden">{t.signIn.asWho} </span>
          <span class="word">
            <Line text={name} max={30} />
          </span>
        </a>
        <button type="button" class="quiet" onClick={endSession}>
          {t.signIn.signOut}
        </button>
      </span>
    );
  if (!session.value) return null;
  return (
    <a class="button" href={href('sign-in')}>
      <Icon name="key" />
      <span class="word">{t.signIn.title}</span>
    </a>
  );
}

function Notices() {
  const lost = lostSince.value;
  return (
    <>
      {lost !== undefined && (
        <p class="notice lost" role="status">
          {t.frame.lost(span(now.value - lost))}
        </p>
      )}
      {hasEnded.value && (
        <p class="notice lost" role="alert">
          {t.signIn.ended} <a href={href('sign-in')}>{t.signIn.title}</a>
        </p>
      )}
      {session.value?.sample === true && <p class="notice">{t.frame.sample}</p>}
    </>
  );
}
