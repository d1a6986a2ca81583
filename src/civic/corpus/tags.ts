/** The only tags allowed in a body, and their attributes. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  VV: ['name', 'uid'],
  Ref: ['name', 'uid', 'url', 'archived_url', 'last_verified', 'usage'],
  Path: ['id'],
  Skill: ['id'],
  Observations: ['skill'],
  Risk: ['reason'],
  Providers: ['category'],
};

const ATTRIBUTE = /\s+([a-z_]+)\s*=\s*(?:"([^"<>{}]*)"|'([^'<>{}]*)')/gy;
const TAG = new RegExp(
  `<(/?)(${Object.keys(TAGS).join('|')})((?:\\s+[a-z_]+\\s*=\\s*(?:"[^"<>{}]*"|'[^'<>{}]*'))*)\\s*(/?)>`,
  'y',
);
const ACTIVE_SCHEME = /^(?:javascript|vbscript|data|file|blob):/i;

export interface Tag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'single';
  readonly start: number;
  readonly end: number;
  /** The attributes as written, without trailing space. */
  readonly written: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The allowed tag at this offset; undefined if there is none. */
export function tagAt(text: string, offset: number): Tag | undefined {
  TAG.lastIndex = offset;
  const match = TAG.exec(text);
  if (!match) return undefined;
  const [whole, closes, name = '', written = '', single] = match;
  const attributes: Record<string, string> = {};
  for (const [, key = '', double, simple] of written.matchAll(ATTRIBUTE)) {
    if (!TAGS[name]?.includes(key) || key in attributes) return undefined;
    attributes[key] = double ?? simple ?? '';
  }
  if (closes && (written || single)) return undefined;
  if ([attributes.url, attributes.archived_url].some((url) => url !== undefined && isActiveUrl(url))) return undefined;
  const kind = closes ? 'close' : single ? 'single' : 'open';
  return { name, kind, start: offset, end: offset + whole.length, written: written.trimEnd(), attributes };
}

/** Whether following this URL could execute or read something; decodes entities and controls. */
export function isActiveUrl(url: string): boolean {
  const bare = url
    .replaceAll(/&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi, (_, hex, decimal) => codePoint(hex, decimal))
    .replaceAll(/&colon;/gi, ':')
    .replaceAll(/&(?:tab|newline);/gi, '')
    .replaceAll(/[\u0000-\u0020\u007f-\u00a0\p{Cf}]/gu, '');
  return ACTIVE_SCHEME.test(bare);
}

/** The first tag that closes nothing, is not closed, or is inside a value; undefined if all are balanced. */
export function unbalancedTag(tags: readonly Tag[]): Tag | undefined {
  const open: Tag[] = [];
  for (const tag of tags) {
    if (tag.kind !== 'close' && open.at(-1)?.name === 'VV') return tag;
    if (tag.kind === 'open') open.push(tag);
    if (tag.kind === 'close' && open.pop()?.name !== tag.name) return tag;
  }
  return open[0];
}

function codePoint(hex: string | undefined, decimal: string | undefined): string {
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
