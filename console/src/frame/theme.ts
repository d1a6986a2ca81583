import { effect } from '@preact/signals';
import { perBrowser } from '../data/stores.ts';

export type Theme = 'system' | 'light' | 'dark';

const STORED_AS = 'bindery_console_theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const kept = localStorage.getItem(STORED_AS);

export const choice = perBrowser<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system');
/** The theme in use: the choice, or the preference of the system. */
export const theme = perBrowser<'light' | 'dark'>('light');

function settle(): void {
  theme.value = choice.value === 'system' ? (prefersDark.matches ? 'dark' : 'light') : choice.value;
  document.documentElement.dataset.theme = theme.value;
}

prefersDark.addEventListener('change', settle);
effect(settle);

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function nextTheme(): void {
  setTheme(THEMES[(THEMES.indexOf(choice.value) + 1) % THEMES.length] as Theme);
}

export function setTheme(theme: Theme): void {
  choice.value = theme;
  if (choice.value === 'system') localStorage.removeItem(STORED_AS);
  else localStorage.setItem(STORED_AS, choice.value);
}
