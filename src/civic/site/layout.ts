import { LOCALES, type Locale } from '../config.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { visibleDirections } from './directions.ts';
import type { SiteSource } from './site-source.ts';
import { LANGUAGE_NAMES, SITE_TEXTS, type TextName } from './texts.ts';

/** No external resources, only the one script, and no framing. */
export const SITE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'";

/** The pages of the menu, by label. */
const MENU: readonly (readonly [string, TextName])[] = [
  ['index.html', 'skills'],
  ['paths.html', 'paths'],
  ['values.html', 'values'],
  ['references.html', 'references'],
  ['graph.html', 'graph'],
  ['changes.html', 'changes'],
  ['search.html', 'search'],
];

/** One page in one language, with relative paths to the rest of the site. */
export class PageFrame {
  readonly site: SiteSource;
  readonly locale: Locale;
  /** Path of the page below its language: `skills/sample.html`. */
  readonly path: string;
  /** Relative path from the page to the root: `../`. */
  readonly root: string;

  constructor(site: SiteSource, locale: Locale, path: string, root?: string) {
    this.site = site;
    this.locale = locale;
    this.path = path;
    this.root = root ?? '../'.repeat(localePath(locale, path).split('/').length - 1);
  }

  text(name: TextName): string {
    return escapeHtml(SITE_TEXTS[name][this.locale]);
  }

  /** The URL of another page in the same language. */
  to(path: string): string {
    return escapeHtml(`${this.root}${localePath(this.locale, path)}`);
  }

  link(path: string, words: string): string {
    return `<a href="${this.to(path)}"><bdi>${escapeHtml(visibleDirections(words))}</bdi></a>`;
  }

  /** A whole page. `head`: additional elements of its head. */
  page(title: string, main: string, options: { description?: string; head?: string; isText?: boolean } = {}): string {
    const { site, locale, root } = this;
    const description = options.description
      ? `<meta name="description" content="${escapeHtml(options.description)}">\n`
      : '';
    return `<!doctype html>
<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${SITE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(visibleDirections(title))}${title === site.name ? '' : ` · ${escapeHtml(site.name)}`}</title>
${description}<link rel="icon" type="image/svg+xml" href="${root}icon.svg">
<link rel="stylesheet" href="${root}style.css">
<link rel="alternate" type="application/atom+xml" href="${root}changes.atom" title="${this.text('changes')}">
${this.#alternates()}${options.head ?? ''}</head>
<body>
<a class="skip" href="#main">${this.text('skip')}</a>
<header>
<a class="name" href="${this.to('index.html')}">${escapeHtml(site.name)}</a>
<nav aria-label="${this.text('menu')}"><ul>${MENU.map((entry) => this.#menuEntry(entry)).join('')}</ul></nav>
</header>
<main id="main"${options.isText ? ' class="text"' : ''}>
${main}</main>
<footer>
<nav aria-label="${this.text('language')}"><ul>${LOCALES.map((other) => this.#languageEntry(other)).join('')}</ul></nav>
<p>${this.link('principles.html', SITE_TEXTS.principles[locale])} · ${this.link('policy.html', SITE_TEXTS.policy[locale])} · <a href="${root}changes.atom">${this.text('feed')}</a> · <a href="${root}llms.txt">llms.txt</a></p>
</footer>
</body>
</html>
`;
  }

  #menuEntry([path, name]: readonly [string, TextName]): string {
    const current = path === this.path ? ' aria-current="page"' : '';
    return `<li><a href="${this.to(path)}"${current}>${this.text(name)}</a></li>`;
  }

  #languageEntry(other: Locale): string {
    const current = other === this.locale ? ' aria-current="true"' : '';
    const href = escapeHtml(`${this.root}${localePath(other, this.path)}`);
    return `<li><a href="${href}" lang="${other}" hreflang="${other}"${current}>${LANGUAGE_NAMES[other]}</a></li>`;
  }

  #alternates(): string {
    return LOCALES.map(
      (other) =>
        `<link rel="alternate" hreflang="${other}" href="${escapeHtml(`${this.root}${localePath(other, this.path)}`)}">\n`,
    ).join('');
  }
}

/** English is at the root, every other language in its own folder. */
export function localePath(locale: Locale, path: string): string {
  return locale === 'en' ? path : `${locale}/${path}`;
}

/** JSON that is safe inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
