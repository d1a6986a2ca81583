import { href } from '../data/router.ts';
import { PageTitle, Tabs } from '../parts/basics.tsx';
import { t } from '../texts.ts';
import { FormPreviews } from './civic-forms.tsx';
import { LinkHealth } from './civic-links.tsx';
import { Merges } from './civic-merges.tsx';
import { ReviewQueue } from './civic-review.tsx';
import { Skills } from './civic-skills.tsx';

const TABS = ['skills', 'review', 'changes', 'forms', 'links'] as const;

export function CivicPage({ path }: { readonly path: readonly string[] }) {
  const [first, id] = path;
  const open = TABS.find((one) => one === first) ?? 'skills';
  return (
    <>
      <PageTitle title={t.pages.civic} />
      <Tabs tabs={TABS.map((one) => ({ label: t.civic.tabs[one], link: href('civic', one), isOpen: one === open }))} />
      {open === 'skills' && <Skills id={id} />}
      {open === 'review' && <ReviewQueue id={id} />}
      {open === 'changes' && <Merges />}
      {open === 'forms' && <FormPreviews />}
      {open === 'links' && <LinkHealth />}
    </>
  );
}
