import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

const html = (markdown: string, resolve = (url: string): string | undefined => url) =>
  renderMarkdown(markdown, resolve).html;

test('headings have the ids that links to them use', () => {
  const { title, headings } = renderMarkdown(
    '# Allow, ask\n\n## What `--token` reads\n\n## Twice\n\n## Twice\n',
    () => '',
  );
  expect([title, headings.map(({ id }) => id)]).toEqual([
    'Allow, ask',
    ['allow-ask', 'what---token-reads', 'twice', 'twice-1'],
  ]);
});

test('text, lists, code and tables become elements', () => {
  expect(html('a **b** *c* `d`\n\n- e\n- f\n\n```sh\ng < h\n```\n\n1. i')).toBe(
    '<p>a <strong>b</strong> <em>c</em> <code>d</code></p><ul><li>e</li><li>f</li></ul><pre tabindex="0"><code>g &lt; h</code></pre><ol><li>i</li></ol>',
  );
  expect(html('| a | b |\n|---|--:|\n| - c | `d \\| e` |\n\nf')).toBe(
    '<div class="wide" tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>- c</td><td><code>d | e</code></td></tr></tbody></table></div><p>f</p>',
  );
});

test('a table inside of a code block is code', () => {
  expect(html('```\n| a |\n|---|\n```')).toBe('<pre tabindex="0"><code>| a |\n|---|</code></pre>');
});

test('markup is shown as text, and a link that leads nowhere is its text', () => {
  const hostile = [
    '<script>alert(1)</script>',
    'x <img src=x onerror=alert(1)> y',
    '| <b>a</b> |\n|---|\n| <svg onload=alert(1)> |',
    '# <i>title</i> "quoted"',
    '```"><script>\n</code></pre><script>\n```',
    '![<x>](javascript:alert(1))',
  ];
  expect(hostile.filter((markdown) => /<(?:script|img|svg|b|i|x)\b/.test(html(markdown)))).toEqual([]);
  expect(html('[a](javascript:alert(1)) [b](gone.md)', () => undefined)).toBe('<p>a b</p>');
  expect(html('[a](<x"onclick=alert(1)>)')).toBe('<p><a href="x&quot;onclick=alert(1)">a</a></p>');
});

test('whatever the text, only our own elements come out', () => {
  const OURS =
    /<\/?(?:p|strong|em|code|ul|ol|li|table|thead|tbody|tr|th|td|blockquote|pre|div|h[1-6]|a|br|hr)(?: (?:tabindex="0"|class="wide"|id="[^"<>]*"|href="\/x"))*>/g;
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '```\n',
      '|',
      '\n',
      '|---|\n',
      '# ',
      '- ',
      '[a](b)',
      '![',
      '](',
      '*',
      '<a>',
      'x',
      '\\',
      '  ',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      expect(html(pieces.join(''), () => '/x').replaceAll(OURS, '')).not.toMatch(/[<>"']/);
    }),
  );
});
