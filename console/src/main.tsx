import { render } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/pages.css';
import { isSignInNeeded, session, start } from './data/live.ts';
import { href, route } from './data/router.ts';
import { forgotten } from './data/stores.ts';
import { Frame } from './frame/frame.tsx';
import { isBeyond } from './frame/pages.ts';
import './frame/theme.ts';
import { ApprovalsPage } from './pages/approvals.tsx';
import { AuditPage } from './pages/audit.tsx';
import { CivicPage } from './pages/civic.tsx';
import { ContextPage } from './pages/context.tsx';
import { NamesPage } from './pages/names.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PolicyPage } from './pages/policy.tsx';
import { ServersPage } from './pages/servers.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { ToolsPage } from './pages/tools.tsx';
import { Empty, Failure, PageTitle, Skeleton } from './parts/basics.tsx';
import { BeyondProfile } from './parts/refused.tsx';
import { t } from './texts.ts';

const PAGES: Readonly<Record<string, (props: { readonly path: readonly string[] }) => preact.JSX.Element>> = {
  overview: OverviewPage,
  approvals: ApprovalsPage,
  servers: ServersPage,
  tools: ToolsPage,
  audit: AuditPage,
  policy: PolicyPage,
  context: ContextPage,
  names: NamesPage,
  civic: CivicPage,
  settings: SettingsPage,
  'sign-in': SignInPage,
};

function App() {
  const [name = 'overview', ...path] = route.value.path;
  // The address stays, so that a sign-in leads to the page that was asked for.
  const shown = isSignInNeeded.value ? 'sign-in' : name;
  const Page = PAGES[shown];
  const { value, error } = session.state.value;
  const isUnknown = value === undefined && shown !== 'sign-in';
  // Another page begins at its top. A call or an approval that is opened within one does not move it.
  const [section] = name === 'audit' || name === 'approvals' ? [] : path;
  useLayoutEffect(() => scrollTo({ top: 0, behavior: 'instant' }), [name, section]);
  return (
    <Frame>
      {value === undefined && error === undefined ? (
        <Skeleton rows={8} />
      ) : isUnknown ? (
        <Failure error={error} retry={() => void session.refresh()} />
      ) : isBeyond(shown) ? (
        <>
          <PageTitle title={t.pages[shown as keyof typeof t.pages]} />
          <BeyondProfile />
        </>
      ) : Page ? (
        <Page key={`${shown} ${forgotten.value}`} path={path} />
      ) : (
        <>
          <PageTitle title={t.common.noPageTitle} />
          <Empty text={t.common.noPage}>
            <a class="button" href={href('overview')}>
              {t.common.toOverview}
            </a>
          </Empty>
        </>
      )}
    </Frame>
  );
}

const place = document.getElementById('app');
if (place) {
  start();
  render(<App />, place);
}
