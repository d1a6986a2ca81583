/** Strings (with the colon that makes one a key) and braces of a valid JSON text. */
const KEYS_AND_BRACES = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}]/g;

/** Whether an object of this valid JSON text has a key twice: `JSON.parse` silently keeps the last one. */
export function hasDuplicateKeys(json: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, colon = ''] of json.matchAll(KEYS_AND_BRACES)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon) {
      const keys = open.at(-1);
      const key = JSON.parse(token.slice(0, -colon.length)) as string;
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
  }
  return false;
}
