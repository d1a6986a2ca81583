import { expect, test } from 'vitest';
import { directionOf } from './directions.ts';
import { PageFrame } from './layout.ts';
import { markdownHtml, type TagTexts } from './markdown-html.ts';
import { bdi } from './parts.ts';
import type { SiteSource } from './site-source.ts';

test('a title cannot turn the order of a page around, and keeps the marks of its own script', () => {
  const frame = new PageFrame({ name: 'site' } as SiteSource, 'en', 'x.html');
  const title = /<title>.*<\/title>/.exec(frame.page('fee \u202e001\u2069', ''))?.[0];
  expect([
    title,
    bdi('\u2066x'),
    frame.link('y.html', '\u202a'),
    bdi('\u0645\u06cc\u200c\u0634\u0648\u062f\u200f'),
  ]).toEqual([
    '<title>fee \\u{202E}001\\u{2069} · site</title>',
    '<bdi>\\u{2066}x</bdi>',
    '<a href="y.html"><bdi>\\u{202A}</bdi></a>',
    '<bdi>\u0645\u06cc\u200c\u0634\u0648\u062f\u200f</bdi>',
  ]);
});

const TAGS: TagTexts = {
  value: () => bdi('20 EUR'),
  reference: () => '',
  path: () => '',
  skill: () => '',
  observations: () => '',
  risk: () => '',
  providers: () => '',
  link: (url) => url,
};

test('most letters of a body decide its direction, and a block that is mostly in another script has its own', () => {
  const body = [
    'eID هي بطاقة الهوية الإلكترونية.',
    '## Authoritative basis',
    '1. أرسل الاستمارة خلال 30 يوما.\n2. Itsme هو التطبيق الذي تستعمله.\n3. Carte de séjour',
    '`dofi` يقبل <VV name="fee" uid="val-1"/>.',
  ].join('\n\n');
  expect(markdownHtml(body, TAGS, 'الإبلاغ').replaceAll('\n', '')).toBe(
    '<div dir="rtl"><p>eID هي بطاقة الهوية الإلكترونية.</p><h2 dir="ltr">Authoritative basis</h2>' +
      '<ol><li>أرسل الاستمارة خلال 30 يوما.</li><li>Itsme هو التطبيق الذي تستعمله.</li><li><bdi dir="ltr">Carte de séjour</bdi></li></ol>' +
      '<p><code dir="ltr">dofi</code> يقبل <bdi>20 EUR</bdi>.</p></div>',
  );
  expect(markdownHtml('Bring the form. قل «نعم».', TAGS, 'Report')).toBe(
    '<div dir="ltr">\n<p>Bring the form. قل «نعم».</p>\n</div>\n',
  );
});

test('a value of another direction is isolated, also if its first letter says nothing', () => {
  expect([directionOf('12.5'), bdi('eID للمقيمين'), bdi('معلومات eID'), bdi('25 EUR')]).toEqual([
    undefined,
    '<bdi dir="rtl">eID للمقيمين</bdi>',
    '<bdi>معلومات eID</bdi>',
    '<bdi>25 EUR</bdi>',
  ]);
});
