import { expect, test } from 'vitest';
import { PageFrame } from './layout.ts';
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
