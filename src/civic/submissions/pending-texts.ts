import { applyChange } from './apply-change.ts';
import { filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';

/**
 * Files with decided changes that are not in the folder yet, by path, with their future texts. Two changes that are valid alone can
 * conflict, so later ones are checked against these.
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

/** An unreadable file blocks only its own changes. */
function unlessUnreadable(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
