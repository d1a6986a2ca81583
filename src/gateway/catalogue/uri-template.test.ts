import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import { ResourceRoutes } from './resource-routes.ts';
import type { ServerOffer } from './server-offer.ts';
import { matchesTemplate } from './uri-template.ts';

test('an expression matches any text, without a slash if it has no operator', () => {
  const cases = [
    matchesTemplate('f:///{+path}', 'f:///a/b'),
    matchesTemplate('u://{id}', 'u://a/b'),
    matchesTemplate('q://s{?q}', 'q://s?q=1'),
    matchesTemplate('u://{id}/x', 'u://a/x'),
    matchesTemplate('u://{id}/x', 'u://a/xy'),
    matchesTemplate('u://a.b', 'u://a-b'),
    matchesTemplate(7, '7'),
  ];
  expect(cases).toEqual([true, false, true, true, false, false, false]);
});

/** The meaning of a template, as one regular expression says it; slow for some templates and texts. */
function matchesByExpression(template: string, uri: string): boolean {
  const pattern = template
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      if (!/^\{.*\}$/.test(part)) return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      return /^\{[+#/?&;.]/.test(part) ? '.*' : '[^/]*';
    })
    .join('');
  return new RegExp(`^${pattern}$`).test(uri);
}

const letters = fc.constantFrom('a', 'b', '/', '\n', '\u2028');
const templates = fc
  .array(fc.oneof(letters, fc.constantFrom('{x}', '{+x}', '{?x}', '{x', '}', '{', '{x\ny}', '{}', '.', '\\')), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));
const uris = fc
  .array(fc.oneof({ weight: 6, arbitrary: letters }, fc.constantFrom('{', '}', 'x', '.', '\r')), { maxLength: 10 })
  .map((parts) => parts.join(''));
/** A template together with a URI that it gives, or nearly: such pairs are rare among random ones. */
const related = fc
  .array(fc.tuple(fc.constantFrom('{x}', '{+x}', 'a', 'ab', '/', 'b/a', '\n'), uris, fc.boolean()), { maxLength: 7 })
  .map((parts) => [
    parts.map(([part]) => part).join(''),
    parts.map(([part, text, isOdd]) => (part.startsWith('{') || (isOdd && text.length > 8) ? text : part)).join(''),
  ])
  .map(([template, uri]) => [template, uri] as [string, string]);

test('a template matches what its regular expression matches', () => {
  fc.assert(
    fc.property(fc.oneof(fc.tuple(templates, uris), related), ([template, uri]) => {
      expect(matchesTemplate(template, uri)).toBe(matchesByExpression(template, uri));
    }),
    { numRuns: 20_000 },
  );
});

test.each([
  ['neighbouring expressions', '{a}{b}{c}{d}{e}{f}{g}{h}', 'a', '/'],
  ['two of a segment', '{owner}-{name}', '-', '/'],
  ['two kinds side by side', '{index}{?q}', 'a', '/\n'],
  ['two kinds in turn', '{+a}-{b}-{+c}-{d}-{+e}-{f}', '-/', '\n'],
  ['several segments', '{+a}/{b}/{c}/{d}/{e}x', '/', '\n'],
])('a template with %s is compared with the longest URI', (_, template, letters, end) => {
  const uri =
    `x:${letters.repeat(LIMITS.templatedUriCharsMax)}`.slice(0, LIMITS.templatedUriCharsMax - end.length) + end;
  expect([matchesTemplate(`x:${template}`, uri), matchesTemplate('x:{+a}{?b}', uri.slice(0, -end.length))]).toEqual([
    false,
    true,
  ]);
});

test('a template or URI beyond the limits matches nothing', () => {
  const { templateCharsMax, templateExpressionsMax, templatedUriCharsMax } = LIMITS;
  const template = (chars: number) => `u://{x}${'a'.repeat(chars - 'u://{x}'.length)}`;
  const uriOf = (of: string) => of.replace('{x}', 'x');
  expect([templateCharsMax, templateCharsMax + 1].map((n) => matchesTemplate(template(n), uriOf(template(n))))).toEqual(
    [true, false],
  );
  expect(
    [templateExpressionsMax, templateExpressionsMax + 1].map((n) => matchesTemplate('{x}-'.repeat(n), 'a-'.repeat(n))),
  ).toEqual([true, false]);
  expect([templatedUriCharsMax, templatedUriCharsMax + 1].map((n) => matchesTemplate('{x}', 'a'.repeat(n)))).toEqual([
    true,
    false,
  ]);
});

test('the number of templates of a server is limited', () => {
  const offer = (server: string, templates: string[]) =>
    ({
      server,
      resources: [],
      resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate })),
      capabilities: { resources: {} },
    }) as unknown as ServerOffer;
  const many = (count: number) => [...Array.from({ length: count - 1 }, () => 'other://{x}'), 'this://{x}'];
  const routed = (count: number) =>
    new ResourceRoutes([offer('a', many(count)), offer('b', ['this://{+x}'])]).route('this://1')?.server;
  expect([routed(LIMITS.templatesMax), routed(LIMITS.templatesMax + 1)]).toEqual(['a', 'b']);
});
