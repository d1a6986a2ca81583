import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBody, checkBodyTree, checkSimpleBody } from './check-body.ts';
import { collapseValues, expandValues, valueSpans } from './values.ts';

const RUNS = Number(process.env.CIVIC_RUNS ?? 1500);

describe('[civic:K15] a body is text and the seven tags', () => {
  test.each([
    ['plain text', '# Title\n\nSome *words*, a < b, 3<4 and x <= y.\n'],
    [
      'all seven tags',
      '<VV name="a" uid="val-01"/> <Ref uid="ref-01" url="https://a.example"/> <Path id="p"/> <Skill id="s"/>\n\n<Observations skill="s"/>\n\n<Risk reason="r">text</Risk>\n\n<Providers category="c"/>\n',
    ],
    ['a tag over two lines', 'See <Ref name="a"\n  url="https://a.example" /> here.\n'],
    ['a risk around paragraphs', '<Risk reason="r">\n\nSome **words**.\n\n</Risk>\n'],
    [
      'code that shows markup',
      'Use `<script>` and `{x}`:\n\n```\nimport x from "y"\n<div onclick="a">{b}</div>\n```\n',
    ],
    ['escaped markup', 'A \\<b and \\{c\\}.\n'],
    ['links', '[a](https://a.example) <https://b.example/?q=1> [c][d]\n\n[d]: http://d.example "t"\n'],
    ['a word about data: and import', 'The following data: none. To import goods, ask.\n'],
    ['a link in angle brackets', '[a](<https://a.example/b c>)\n'],
  ])('%s is accepted', (_name, body) => {
    expect(checkBody(body).faults).toEqual([]);
  });

  test.each([
    ['an expression', 'a {process.exit()} b\n', 'an expression in braces'],
    ['an expression as a block', '{\n  alert(1)\n}\n', 'an expression in braces'],
    ['an expression in an attribute', '<VV uid={x}/>\n', 'an expression in braces'],
    ['an import', 'import x from "y"\n\ntext\n', 'an import or export'],
    ['an export', 'text\n\nexport const a = 1\n', 'an import or export'],
    ['a script', '<script>alert(1)</script>\n', 'a tag or element that is not allowed'],
    ['an element in a line', 'a <b>c</b> d\n', 'a tag or element that is not allowed'],
    ['an iframe', 'x <iframe src="https://a.example"></iframe>\n', 'a tag or element that is not allowed'],
    ['an unknown component', '<Button/>\n', 'a tag or element that is not allowed'],
    ['an unknown attribute', '<Skill id="a" onclick="b"/>\n', 'a tag or element that is not allowed'],
    ['an attribute without quotes', '<Skill id=a/>\n', 'a tag or element that is not allowed'],
    ['a comment', 'a <!-- b --> c\n', 'a comment or declaration'],
    ['a comment as a block', '<!--\nb\n-->\n', 'a comment or declaration'],
    ['a doctype', '<!DOCTYPE html>\n', 'a comment or declaration'],
    ['a link to javascript', '[a](javascript:alert(1))\n', 'a link that runs something'],
    ['one that hides in entities', '[a](java&#x73;cript:alert(1))\n', 'a link that runs something'],
    ['one with an escaped colon', '[a](javascript\\:alert(1))\n', 'a link that runs something'],
    ['one in capitals with a tab', '[a](<JaVa\tScript:alert(1)>)\n', 'a link that runs something'],
    ['an image of data', '![a](data:text/html;base64,xxxx)\n', 'a link that runs something'],
    ['a definition', '[a]\n\n[a]: vbscript:x\n', 'a link that runs something'],
    ['a reference to javascript', '<Ref url="javascript:alert(1)"/>\n', 'a tag or element that is not allowed'],
    ['a tag that is not closed', '<Risk reason="r">\n\ntext\n', 'a tag that is not closed, or closes nothing'],
    ['a tag that closes nothing', 'text </Risk>\n', 'a tag that is not closed, or closes nothing'],
    ['a tag inside a value', '<VV uid="val-01"><Skill id="a"/></VV>\n', 'a tag that is not closed, or closes nothing'],
    ['indented code, which MDX does not know', 'a\n\n    {x}\n', 'an expression in braces'],
    [
      'markup inside a risk',
      '<Risk reason="r">\n<img src=x onerror=y>\n</Risk>\n',
      'a tag or element that is not allowed',
    ],
    ['an expression in a heading', '# a {b}\n', 'an expression in braces'],
    ['an expression in a table', '| a |\n|---|\n| {b} |\n', 'an expression in braces'],
  ])('%s is refused', (_name, body, fault) => {
    expect(checkBody(body).faults).toContain(fault);
  });

  test('tangled texts are answered at once', () => {
    for (const unit of [
      '> ',
      '![](<',
      '[a](',
      '- ',
      '<a ',
      '{',
      '`',
      '*a ',
      '&',
      '<VV ',
      '\\<',
      '[a](b) <VV uid="val-01"/> ',
    ]) {
      expect(checkBody(unit.repeat(250_000 / unit.length)).tags).toBeInstanceOf(Array);
    }
  });
});

const fragment = fc.constantFrom(
  'word ',
  '"',
  "'",
  ' (',
  "[a](x '",
  '\n',
  '\n\n',
  '# ',
  '- ',
  '> ',
  '    ',
  '\t',
  '`',
  '```\n',
  '~~~\n',
  '<',
  '>',
  '{',
  '}',
  '\\',
  '&#106;',
  '[a](',
  ')',
  '[b]: ',
  'javascript:',
  'https://a.example ',
  'import a\n',
  '<VV uid="val-01"/>',
  '<VV uid="val-02">old</VV>',
  '<Risk reason="r">',
  '</Risk>',
  '<Skill id="s"/>',
  '<b>',
  '<!--',
  '1. ',
  '*',
  '<Ref name="a"\n url="https://a.example"/>',
);

test('[civic:K15] the short way accepts only what the syntax tree accepts, with the same tags', () => {
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 14 }), (fragments) => {
      const body = fragments.join('');
      const simple = checkSimpleBody(body);
      if (simple) expect(simple, JSON.stringify(body)).toEqual(checkBodyTree(body));
    }),
    { numRuns: RUNS },
  );
});

test('[civic:K5] values are expanded outside code, and collapsing them again gives one form', () => {
  const body =
    'a <VV name="fee" uid="val-01"/> b <VV name="x" uid="val-09" /> `<VV uid="val-01"/>` <VV uid="val-01">old</VV>\n';
  const expanded = expandValues(body, valueSpans(checkBody(body).tags, 0), (uid) =>
    uid === 'val-01' ? '25 EUR' : undefined,
  );
  expect(expanded).toBe(
    'a <VV name="fee" uid="val-01">25 EUR</VV> b <VV name="x" uid="val-09">[unresolved]</VV> `<VV uid="val-01"/>` <VV uid="val-01">25 EUR</VV>\n',
  );
  expect(collapseValues(expanded)).toBe(collapseValues(body));
});
