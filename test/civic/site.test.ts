import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCALES } from '../../src/civic/config.ts';
import { CorpusBuilder } from '../../src/civic/corpus/corpus-builder.ts';
import { toSourceFile } from '../../src/civic/corpus/source-file.ts';
import { allHealthy } from '../../src/civic/reads/ports.ts';
import { localePath } from '../../src/civic/site/layout.ts';
import { sitePages } from '../../src/civic/site/site.ts';
import type { SiteSource } from '../../src/civic/site/site-source.ts';
import { GitHistory } from '../../src/store/corpus/git-history.ts';
import { writeSite } from '../../src/store/corpus/site-folder.ts';
import { commitAll, writeCorpus } from '../support/large-corpus.ts';
import { createReadApp, sampleFiles } from './read-app.ts';

/** What has no page: a draft, and a path in quarantine. */
function unseenFiles(): Record<string, string> {
  return {
    'skills/sample-unseen/canonical.md': `---
id: sample-unseen
title: Not accepted yet
summary: A draft.
status: draft
version: 0.1.0
category: sample-commune
---
# Draft
`,
    'paths/sample-quarantined.yaml': (sampleFiles()['paths/sample-portal.yaml'] as string)
      .replace('id: sample-portal', 'id: sample-quarantined')
      .replace(/status: \w+/, 'status: quarantined'),
  };
}

let scratch: string;
let site: SiteSource;
const files: Readonly<Record<string, string>> = {
  ...sampleFiles(),
  ...unseenFiles(),
  'skills/sample-hostile/canonical.md': `---
id: sample-hostile
title: 'A <script>alert(1)</script> "title"'
summary: "<img src=x onerror=alert(1)> & more"
status: beta
version: 1.0.0
category: "sample</script><b>"
citations: [{ url: "https://law.example.org/9?a=1&b='2'" }]
---
# Hostile

Text with &lt;b&gt;entities&lt;/b&gt;, 1 < 2 & 3, a [link](https://law.example.org/path), \`<i>code</i>\`
and <VV name="x" uid="val-01">old words</VV> after.

![a picture](https://images.example.org/x.png)

A [page of ours](../paths.html), [one that is not there](other.html), [a heading](#hostile), [the API](/api/paths),
<Path id="sample-quarantined"/>, <Providers category="sworn-translation"/> and <Observations skill="sample-base"/>.

3. third
4. fourth
`,
};

const GIVEN = `---
id: sample-given
title: What the page shows
summary: A sample of everything.
status: beta
version: 1.0.0
category: sample-commune
verification_notes: Seen at the desk.
requires_paths: [{ id: sample-portal, role: a role, timing: a time }]
citations: [{ url: "https://law.example.org/7", chapter: the third }]
keeper_note: a note of ours
---
# Another heading

A [link by name][7], [7] and ![a plan][7].

| office | hours | fee |
|---|:-:|--:|
| *north* \\| east | &lt;b | [page](https://law.example.org/8) |
| south | | 5 | more |

\`\`\`sh with words
ls
\`\`\`

<VV name="other-name" uid="val-01"/>

[7]: https://law.example.org/7
`;

const given = () => ({ 'skills/sample-given/canonical.md': GIVEN });

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-site-'));
  writeCorpus(join(scratch, 'corpus'), files, 'Add the corpus\n\nBecause <b>it</b> is needed.');
  site = await sourceOf(files);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const PROVIDERS = ['Lingua <Sample>', 'Verba'].map((name) => ({
  id: name.slice(0, 5).toLowerCase(),
  name,
  category: 'sworn-translation',
  api_spec_url: `https://${name.slice(0, 5).toLowerCase()}.example.org/openapi.json`,
  languages: ['fr', 'nl'],
  areas: ['brussels'],
  licence: { valid_until: '2030-12-31' },
}));

async function sourceOf(
  texts: Readonly<Record<string, string>>,
  changes: Partial<SiteSource> = {},
): Promise<SiteSource> {
  const sources = Object.entries(texts).map(([path, text]) => toSourceFile(path, Buffer.from(text)));
  const { corpus, errors } = new CorpusBuilder().build(sources, { generatedAt: () => '2026-10-01T00:00:00.000Z' });
  if (!corpus) throw new Error(JSON.stringify(errors));
  return {
    corpus,
    history: await new GitHistory(join(scratch, 'corpus')).read(),
    health: allHealthy,
    linkState: () => 'unchecked',
    providers: () => [],
    pages: new Map(),
    name: 'Sample <site>',
    baseUrl: 'https://civic.example.org',
    isLive: false,
    program: 'test',
    ...changes,
  };
}

const render = (path: string, from: SiteSource = site) => sitePages(from).get(path)?.render() ?? '';

describe('the pages', () => {
  test('every artefact has its page in six languages, with status, verification, citations and history', () => {
    const pages = sitePages(site);
    const ids = site.corpus.snapshot.skills.map(({ id }) => id);
    const missing = LOCALES.flatMap((locale) =>
      ids.flatMap((id) => [`skills/${id}.html`, `skills/${id}.history.html`].map((path) => localePath(locale, path))),
    ).filter((path) => !pages.has(path));
    const page = render('skills/sample-address-change.html');
    expect([
      missing,
      page.includes('○ alpha'),
      page.includes('<time dir="ltr">2026-10-01</time>'),
      page.includes('href="https://law.example.org/1"'),
      page.includes('href="../values.html#val-01"'),
      page.includes('href="sample-base.html"') || page.includes('href="../skills/sample-base.html"'),
    ]).toEqual([[], true, true, true, true, true]);
  });

  test.each([
    ['with history, as a copy', { isLive: false }],
    ['without history, as a copy', { isLive: false, history: undefined }],
    ['with history, on a server without providers', { isLive: true }],
    ['without history, on a server with providers', { isLive: true, history: undefined, providers: () => PROVIDERS }],
  ])('every link leads to a page, and to a place in it, from every page of every language: %s', async (_, changes) => {
    const pages = sitePages(await sourceOf(files, changes));
    const texts = new Map([...pages].map(([path, { render }]) => [path, render()]));
    const base = 'https://civic.example.org/site/';
    const dead: string[] = [];
    const api = new Set<string>();
    for (const [path, text] of texts) {
      if (!/\.(?:html|atom)$/.test(path)) continue;
      for (const [, href = ''] of text.matchAll(/(?:href|src|action)="([^"]*)"/g)) {
        const { origin, pathname, hash } = new URL(href.replaceAll('&#38;', '&'), base + path);
        if (origin !== new URL(base).origin) continue;
        const target = pathname.replace(/^\/(?:site\/)?/, '');
        if (pathname.startsWith('/api/')) api.add(pathname);
        else if (!texts.has(target)) dead.push(`${path} → ${href}`);
        else if (hash !== '' && !texts.get(target)?.includes(`id="${hash.slice(1)}"`)) dead.push(`${path} → ${href}`);
      }
    }
    const isLive = changes.isLive ? ['/api/concerns'] : [];
    expect([dead, [...api].sort()]).toEqual([[], isLive]);
  });

  test('a list of providers stands in the page and in the text for agents, in the order of the day, or is not there', async () => {
    const texts = async (providers: SiteSource['providers']) => {
      const from = await sourceOf(files, { providers });
      return [render('skills/sample-residence-card.html', from), render('skills/sample-residence-card.md', from)];
    };
    const [page = '', text = ''] = await texts(() => PROVIDERS);
    const [none = '', bare = ''] = await texts(() => []);
    const key = async (providers: SiteSource['providers']) =>
      sitePages(await sourceOf(files, { providers })).get('skills/sample-residence-card.md')?.key;
    expect([
      /<b>Lingua &#60;Sample&#62;<\/b>.*fr nl, brussels, lingu\.example\.org.*<b>Verba<\/b>/.test(page),
      page.includes('openapi.json'),
      text.includes('>\n- Lingua  Sample : https://lingu.example.org/openapi.json\n- Verba: https://verba.example.org'),
      [none.includes('Providers'), none.includes('sworn-translation'), bare.includes('openapi.json')],
      (await key(() => PROVIDERS)) === (await key(() => PROVIDERS.toReversed())),
    ]).toEqual([true, false, true, [false, false, false], false]);
  });

  test('a risk is a sentence of its own before the text that it is about', () => {
    expect(render('skills/sample-base.html')).toContain(
      '<bdi>an expired document is refused at the desk.</bdi></strong> Look at',
    );
  });

  test('Arabic is written from right to left, and every page says its language', () => {
    const seen = LOCALES.map((locale) =>
      /<html lang="(\w+)" dir="(\w+)">/.exec(render(localePath(locale, 'index.html')))?.slice(1),
    );
    expect(seen).toEqual(LOCALES.map((locale) => [locale, locale === 'ar' ? 'rtl' : 'ltr']));
  });

  test('the status and the origin are words of the language of the page', () => {
    const words = LOCALES.map((locale) => {
      const page = render(localePath(locale, 'skills/sample-base.html'));
      return [
        /class="status stable">● ([^<]*)</.exec(page)?.[1],
        /<dt>([^<]*)<\/dt><dd><bdi>([^<]*)<\/bdi><\/dd><\/dl>/.exec(page)?.slice(1).join(': '),
      ];
    });
    expect(words).toEqual([
      ['stable', 'Origin: community'],
      ['stable', 'Origine: communauté'],
      ['stabiel', 'Oorsprong: gemeenschap'],
      ['stabil', 'Herkunft: Gemeinschaft'],
      ['مستقر', 'المصدر الأصلي: المجتمع'],
      ['стабільне', 'Походження: спільнота'],
    ]);
  });

  test('text of the corpus is text wherever it stands', () => {
    const texts = [...sitePages(site).values()]
      .filter(({ path }) => path.endsWith('.html'))
      .map(({ render }) => render());
    const markup = /<(?:script>alert|img|b>|i>)|onerror=[^&]*>/;
    const page = render('skills/sample-hostile.html');
    expect([
      texts.filter((text) =>
        markup.test(text.replaceAll(/<script type="application\/(?:ld\+)?json"[^<>]*>[^<]*<\/script>/g, '')),
      ),
      page.includes('A &#60;script&#62;alert(1)&#60;/script&#62;'),
      page.includes('<code dir="ltr">&#60;i&#62;code&#60;/i&#62;</code>'),
      page.includes('old words'),
      page.includes('<ol start="3">'),
      page.includes('<a href="https://images.example.org/x.png" rel="nofollow noopener noreferrer">a picture</a>'),
      page.includes('(law.example.org)'),
    ]).toEqual([[], true, true, false, true, true, true]);
  });

  test('a table is a table that can be moved with keys, with names of columns and sides', async () => {
    const page = render('skills/sample-given.html', await sourceOf({ ...files, ...given() }));
    const table = /<div class="table"[\s\S]*?<\/div>/.exec(page)?.[0].replaceAll('\n', '');
    expect(table).toBe(
      '<div class="table" role="group" tabindex="0" aria-label="office, hours, fee"><table><thead><tr>' +
        '<th scope="col">office</th><th scope="col" class="center">hours</th><th scope="col" class="end">fee</th></tr></thead>' +
        '<tbody><tr><td><em>north</em> | east</td><td class="center">&#60;b</td><td class="end">' +
        '<a href="https://law.example.org/8" rel="nofollow noopener noreferrer">page</a> <span class="faint" dir="ltr">(law.example.org)</span></td></tr>' +
        '<tr><td>south</td><td class="center"></td><td class="end">5</td><td>more</td></tr></tbody></table></div>',
    );
  });

  test('a link by reference leads where its definition says', async () => {
    const page = render('skills/sample-given.html', await sourceOf({ ...files, ...given() }));
    const links = [
      ...page.matchAll(/<a href="https:\/\/law\.example\.org\/7"[^>]*>(?:<bdi dir="ltr">)?([^<]*)<\//g),
    ].map(([, words]) => words);
    expect(links).toEqual(['link by name', '7', 'a plan', 'https://law.example.org/7']);
  });

  test('a page shows what agents read of its front matter, its headings and its code', async () => {
    const path = (sampleFiles()['paths/sample-portal.yaml'] as string).replace(
      'sources:',
      'keeper_note: a note of ours\nsources:',
    );
    const from = await sourceOf({ ...files, ...given(), 'paths/sample-portal.yaml': path });
    const page = render('skills/sample-given.html', from);
    const words = [
      '<h2>Another heading</h2>',
      'Seen at the desk.',
      'a role, a time',
      '<bdi>the third</bdi>',
      '<bdi>a note of ours</bdi>',
      'sh with words',
      '(other-name)',
    ];
    expect([
      words.filter((one) => !page.includes(one)),
      render('paths/sample-portal.html', from).includes('<bdi>a note of ours</bdi>'),
      render('skills/sample-base.html', from).includes('<h2>What to have ready'),
    ]).toEqual([[], true, false]);
  });

  test('structured data: a procedure with steps, a way to an office with its channel', () => {
    const data = (path: string) =>
      JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(render(path))?.[1] ?? 'null');
    expect([data('skills/sample-address-change.html'), data('paths/sample-portal.html')]).toMatchObject([
      {
        '@type': 'HowTo',
        step: [
          { position: 1, text: 'Report within 8 working days of the move through Sample portal.' },
          { position: 2 },
          { position: 3 },
        ],
        citation: ['https://law.example.org/1'],
      },
      { '@type': 'GovernmentService', availableChannel: [{ '@type': 'ServiceChannel' }] },
    ]);
  });

  test('a source that nobody tried is not called ok, a title in the graph is whole, and the last change has its date', () => {
    const [data = ''] = /"dateModified":"[^"]*"/.exec(render('skills/sample-base.html')) ?? [];
    const day = new Date(site.history?.[0]?.at ?? 0).toISOString().slice(0, 10);
    expect([
      render('paths/sample-portal.html').includes('<td>not checked yet</td>'),
      render('ar/paths/sample-portal.html').includes('لم يتم التحقق بعد'),
      render('graph.html').includes('<title>What to have ready for any office (sample)</title>'),
      data,
    ]).toEqual([true, true, true, `"dateModified":"${day}"`]);
  });

  test('history has the reason and the diff; the feed has the change', () => {
    const page = render('skills/sample-base.history.html');
    const feed = render('changes.atom');
    expect([
      page.includes('Because &#60;b&#62;it&#60;/b&#62; is needed.'),
      page.includes('<ins>+# What to have ready for any office</ins>'),
      render('changes.html').includes('skills/sample-base/canonical.md'),
      feed.startsWith('<?xml version="1.0" encoding="utf-8"?>'),
      (feed.match(/<entry>/g) ?? []).length,
    ]).toEqual([true, true, true, true, 1]);
  });

  test('a dead citation says so, and a page of the keepers replaces the text of the program', async () => {
    const other = await sourceOf(files, {
      linkState: (_, url) => (url === 'https://law.example.org/1' ? 'dead' : 'reached'),
      pages: new Map([
        ['principles', '# Ours\n\nWe **write** it.'],
        ['principles.fr', 'Nous.'],
      ]),
      history: undefined,
    });
    expect([
      render('skills/sample-address-change.html', other).includes('✕ this page is gone'),
      render('principles.html', other).includes('We <strong>write</strong> it.'),
      render('fr/principles.html', other).includes('<p>Nous.</p>'),
      render('changes.html', other).includes('No history is kept here.'),
    ]).toEqual([true, true, true, true]);
  });
});

describe('a copy in a folder', () => {
  test('after a change it is what a copy from nothing is, and only what changed was written', async () => {
    const [out, anew] = [join(scratch, 'out'), join(scratch, 'anew')];
    const first = await writeSite(out, site);
    const again = await writeSite(out, site);
    const { 'skills/sample-hostile/canonical.md': _, ...rest } = files;
    const corpusDir = join(scratch, 'corpus');
    const changed = {
      ...rest,
      'catalogue/values.yaml': (files['catalogue/values.yaml'] as string).replace(/value: "?8 days"?/, 'value: 9 days'),
    };
    rmSync(join(corpusDir, 'skills/sample-hostile'), { recursive: true });
    writeCorpus(corpusDir, changed);
    commitAll(corpusDir, 'Change a value');
    const next = await sourceOf(changed);
    const third = await writeSite(out, next);
    await writeSite(anew, next);
    const list = (dir: string) =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(dir.length))
        .sort();
    const different = list(anew).filter(
      (file) => readFileSync(join(out, file), 'utf8') !== readFileSync(join(anew, file), 'utf8'),
    );
    expect([first.written === first.pages, again.written, third.written < third.pages, third.removed > 0]).toEqual([
      true,
      0,
      true,
      true,
    ]);
    expect([list(out), different]).toEqual([list(anew), []]);
  });

  test('other files are never mixed with it', async () => {
    const dir = mkdtempSync(join(scratch, 'other-'));
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    await expect(writeSite(dir, site)).rejects.toThrow(/holds files that are not a copy/);
  });
});

describe('the canonical address [civic:K5]', () => {
  test('answers a page to browsers and Markdown to everyone else, and says that it does', async () => {
    const served = createReadApp(sampleFiles(), { site: { skillPage: (id) => ({ text: `<p>${id}</p>`, key: 'k1' }) } });
    const ask = async (accept: string) => {
      const answer = await served.get('/skills/sample-base/canonical', { accept });
      const { headers } = answer;
      return [
        answer.status,
        headers.get('content-type'),
        headers.get('vary'),
        headers.get('etag')?.length,
        (await answer.text()).slice(0, 3),
      ];
    };
    expect([await ask('text/html,*/*;q=0.8'), await ask('*/*'), await ask('text/markdown')]).toEqual([
      [200, 'text/html; charset=utf-8', 'accept', 4, '<p>'],
      [200, 'text/markdown; charset=utf-8', 'accept', 66, '---'],
      [200, 'text/markdown; charset=utf-8', 'accept', 66, '---'],
    ]);
  });
});
