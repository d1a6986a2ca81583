/** Kinds of sources besides `.md`, which a build includes on request. */
export const SOURCE_FORMATS = ['markdown', 'mdx', 'html', 'llms'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** The kind of a file by its name; undefined if it is never a source. A file named just `.md` has no extension. */
export function sourceFormat(name: string): 'md' | SourceFormat | undefined {
  if (name.endsWith('.md') && name.length > '.md'.length) return 'md';
  const lower = name.toLowerCase();
  if (lower === 'llms.txt' || lower === 'llms-full.txt') return 'llms';
  const dot = lower.lastIndexOf('.');
  if (dot < 1) return undefined;
  switch (lower.slice(dot)) {
    case '.md':
    case '.markdown':
      return 'markdown';
    case '.mdx':
      return 'mdx';
    case '.html':
    case '.htm':
      return 'html';
    default:
      return undefined;
  }
}
