import { isRendered } from '../config.ts';
import type { SiteSource } from './site-source.ts';

/** Pages that every site has. */
const LISTS: ReadonlySet<string> = new Set(
  'index paths values references graph changes search principles policy catalogue/values.history catalogue/references.history'
    .split(' ')
    .map((name) => `${name}.html`),
);

/** Whether the site has a page, by its path below the language. Hidden artefacts have none, and nothing may link to them. */
export function hasPage({ corpus: { snapshot } }: SiteSource, path: string): boolean {
  if (LISTS.has(path)) return true;
  const [, kind, id] = /^(skills|paths)\/([a-z0-9-]+)(?:\.history)?\.html$/.exec(path) ?? [];
  if (kind === 'skills') return snapshot.skills.some((skill) => skill.id === id);
  return kind === 'paths' && snapshot.paths.some((one) => one.id === id && isRendered(one.status));
}
