import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { route, setQuery, withQuery } from '../data/router.ts';
import { LoadedView } from '../parts/basics.tsx';
import { plain } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import type { Graph } from './civic-skills.tsx';

const LOCALES = ['en', 'fr', 'nl', 'de', 'ar', 'uk'] as const;

/** The form of a skill as people see it, one locale or all of them side by side. Each is a separate page without scripts. */
export function FormPreviews() {
  const loaded = useLoaded(() => api<Graph>('/agents/skills-graph.json'), []);
  const skill = route.value.query.get('skill') ?? '';
  const only = LOCALES.find((one) => one === route.value.query.get('locale'));
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {({ skills }) => (
        <>
          <div class="filters">
            <label>
              <span>{t.civic.formOf}</span>
              <select value={skill} onChange={(event) => setQuery({ skill: event.currentTarget.value })}>
                <option value="">{t.civic.firstContact}</option>
                {skills.map(({ skill_id, title }) => (
                  <option key={skill_id} value={skill_id}>
                    {plain(title)}
                  </option>
                ))}
              </select>
            </label>
            <div class="segmented wrap" role="group" aria-label={t.civic.locale}>
              <button type="button" aria-pressed={only === undefined} onClick={() => setQuery({ locale: undefined })}>
                {t.civic.everyLocale}
              </button>
              {LOCALES.map((locale) => (
                <button key={locale} type="button" aria-pressed={locale === only} onClick={() => setQuery({ locale })}>
                  {t.civic.locales[locale]}
                </button>
              ))}
            </div>
          </div>
          <div class={only === undefined ? 'forms' : 'forms one'}>
            {LOCALES.filter((locale) => only === undefined || locale === only).map((locale) => (
              <figure key={locale}>
                <figcaption>
                  {t.civic.locales[locale]} {locale === 'ar' && <span class="faint">{t.civic.rightToLeft}</span>}
                </figcaption>
                <iframe
                  title={t.civic.formIn(t.civic.locales[locale])}
                  sandbox="allow-scripts"
                  loading="lazy"
                  src={withQuery('/api/onboarding-form/page', { skill_id: skill, locale })}
                />
              </figure>
            ))}
          </div>
        </>
      )}
    </LoadedView>
  );
}
