import { perBrowser } from './stores.ts';

const STORED_AS = 'bindery_console_reviewer';

/** The name with which this browser claims queue items. */
export const reviewer = perBrowser(localStorage.getItem(STORED_AS) ?? '');

export function keepReviewer(name: string): void {
  localStorage.setItem(STORED_AS, name);
  reviewer.value = name;
}
