import { applyChange } from './apply-change.ts';
import { filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';

/**
 * The files that decided changes are still on their way to, by path, with the texts that they will have. Two changes that
 * are right alone can be wrong together, so what comes later is judged by these.
 */
export function pendingTexts({ store, files }: Desk): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { change } of store.intents()) {
    const path = filePathOf(change.type, change.id);
    const applied = applyChange(change, texts.get(path) ?? unlessUnreadable(() => files.read(path)));
    if (applied.ok === true) texts.set(path, applied.text);
  }
  return texts;
}

/** A file that cannot be read holds up its own changes, and no others. */
function unlessUnreadable(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
