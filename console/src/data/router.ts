import { computed } from '@preact/signals';
import { perBrowser } from './stores.ts';

/** The current page: the part of the address after `#`. It is never sent to the server. */
const address = perBrowser(location.hash);

addEventListener('hashchange', () => {
  address.value = location.hash;
});

export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const route = computed<Route>(() => {
  const [path = '', query = ''] = address.value.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
});

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page: `href('servers', 'memory')`. */
export function href(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

export function withQuery(link: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, value);
  const text = given.toString();
  return text === '' ? link : `${link}?${text}`;
}

export function go(link: string): void {
  location.hash = link;
}

/** Replaces the address without a history entry. */
export function replace(link: string): void {
  history.replaceState(null, '', link);
  address.value = location.hash;
}

/** Changes the query of the page without a history entry. */
export function setQuery(query: Readonly<Record<string, string | undefined>>): void {
  const given = Object.fromEntries(route.value.query);
  replace(withQuery(href(...route.value.path), { ...given, ...query }));
}
