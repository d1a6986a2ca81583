import { hideErased } from '../site/hide-erased.ts';
import { historyPageOf, pageOf } from '../site/history-pages.ts';
import type { SiteHistory } from '../site/site-source.ts';
import type { Desk } from '../submissions/desk.ts';
import type { PublicText } from './print-search.ts';

/** The texts of the site that anybody can read: the history without erased changes, and the pages of these files. */
export function publicTexts(
  { files: folder }: Desk,
  history: SiteHistory,
  { erased, files }: { readonly erased: ReadonlySet<string>; readonly files: ReadonlySet<string> },
): PublicText[] {
  const texts = new Map<string, string[]>();
  const add = (page: string | undefined, ...shown: readonly string[]) => {
    if (page !== undefined) texts.set(page, [...(texts.get(page) ?? []), ...shown]);
  };
  for (const { subject, body, files: changed } of hideErased(history, erased) ?? []) {
    add('changes.html', subject);
    add('changes.atom', subject, body);
    for (const { path, diff } of changed) add(historyPageOf(path), subject, body, diff);
  }
  for (const path of files) add(pageOf(path), folder.read(path) ?? '');
  return [...texts].map(([page, shown]) => ({ place: `/site/${page}`, text: shown.join('\n') }));
}
