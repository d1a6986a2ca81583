import type { ComponentChildren } from 'preact';
import { marked } from './shown.tsx';

/** An element of the corpus in the text, such as a value; undefined: it is shown as it is written. */
export type ShowTag = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: string,
) => ComponentChildren | undefined;

interface MarkdownProps {
  readonly text: string;
  readonly showTag?: ShowTag;
}

/**
 * Renders untrusted Markdown: headings, lists, paragraphs, code, emphasis. Nothing becomes HTML, nothing is fetched, and links are
 * shown as text, in full.
 */
export function Markdown({ text, showTag = () => undefined }: MarkdownProps) {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
  return <div class="markdown">{blocksOf(body.split('\n'), showTag)}</div>;
}

function blocksOf(lines: readonly string[], showTag: ShowTag): ComponentChildren[] {
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const taken = (takes: (one: string) => boolean) => {
      let end = at;
      while (end < lines.length && takes(lines[end] ?? '')) end += 1;
      return lines.slice(at, end);
    };
    if (/^```/.test(line)) {
      const end = lines.findIndex((one, index) => index > at && /^```/.test(one));
      const until = end < 0 ? lines.length : end;
      blocks.push(<pre>{marked(lines.slice(at + 1, until).join('\n'))}</pre>);
      at = until + 1;
    } else if (/^#{1,6} /.test(line)) {
      blocks.push(heading(line, showTag));
      at += 1;
    } else if (/^\s*([-*]|\d+\.) /.test(line)) {
      const items = taken((one) => /^\s*([-*]|\d+\.) |^\s{2,}\S/.test(one));
      blocks.push(list(items, showTag));
      at += items.length;
    } else if (line.trim() === '') {
      at += 1;
    } else {
      const paragraph = taken((one) => one.trim() !== '' && !/^(#{1,6} |```|\s*[-*] )/.test(one));
      blocks.push(<p>{inline(paragraph.join(' '), showTag)}</p>);
      at += Math.max(1, paragraph.length);
    }
  }
  return blocks;
}

function heading(line: string, showTag: ShowTag): ComponentChildren {
  const level = line.indexOf(' ');
  const content = inline(line.slice(level + 1), showTag);
  if (level === 1) return <h2>{content}</h2>;
  return level === 2 ? <h3>{content}</h3> : <h4>{content}</h4>;
}

function list(items: readonly string[], showTag: ShowTag): ComponentChildren {
  const entries: string[] = [];
  for (const item of items) {
    const match = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(item);
    if (match) entries.push(match[1] ?? '');
    else entries.push(`${entries.pop() ?? ''} ${item.trim()}`);
  }
  const isOrdered = /^\s*\d+\. /.test(items[0] ?? '');
  const parts = entries.map((entry, index) => <li key={index}>{inline(entry, showTag)}</li>);
  return isOrdered ? <ol>{parts}</ol> : <ul>{parts}</ul>;
}

const PARTS =
  /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\)|<[A-Z][A-Za-z]*(?: [^<>]*)?(?:\/>|>[^<>]*<\/[A-Z][A-Za-z]*>))/;

function inline(text: string, showTag: ShowTag): ComponentChildren[] {
  return text.split(PARTS).map((part) => {
    const [, name, written = '', content = ''] =
      /^<([A-Z][A-Za-z]*)((?: [^<>]*?)?)(?:\/>|>([^<>]*)<\/\1>)$/.exec(part) ?? [];
    const attributes = [...written.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
    const shown = name === undefined ? undefined : showTag(name, Object.fromEntries(attributes), content);
    if (shown !== undefined) return shown;
    if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return <code>{marked(part.slice(1, -1))}</code>;
    if (part.startsWith('**') && part.endsWith('**') && part.length > 4)
      return <strong>{marked(part.slice(2, -2))}</strong>;
    const [, label, target] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? [];
    if (label !== undefined && target !== undefined)
      return (
        <>
          {marked(label)} <code>{marked(target)}</code>
        </>
      );
    return marked(part);
  });
}
