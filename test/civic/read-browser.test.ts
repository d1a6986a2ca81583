import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCALES } from '../../src/civic/config.ts';
import { ROW_SCRIPT_SOURCE } from '../../src/civic/forms/row-script.ts';
import { launchChromium } from '../support/chromium.ts';
import { createReadApp, sampleFiles } from './read-app.ts';

/** Where to leave pictures of the forms, for a person to look at. */
const PICTURES = process.env.CIVIC_PICTURES;
const served = createReadApp(sampleFiles());
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser.close());

async function formOf(locale: string): Promise<string> {
  const response = await served.get(`/api/onboarding-form?skill_id=sample-residence-card&locale=${locale}`);
  return ((await response.json()) as { form_html: string }).form_html;
}

describe.each(LOCALES)('[civic:FM1] [civic:F5] the form in %s', (locale) => {
  test('is marked with its language', async () => {
    expect(await formOf(locale)).toContain(` lang="${locale}" `);
  });

  test('can be used in a browser: named controls, the right direction, nothing cut off, nothing loaded', async () => {
    const page = await browser.newPage({ viewport: { width: 420, height: 900 }, javaScriptEnabled: true });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(`<!doctype html><meta charset="utf-8"><title>Form</title>${await formOf(locale)}`);
    const seen = await page.evaluate(inspectForm);
    if (PICTURES) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `form-${locale}.png`), fullPage: true });
    }
    await page.close();
    expect({ ...seen, requests }).toEqual({
      unnamed: [],
      smallText: [],
      faint: [],
      overflow: 0,
      direction: locale === 'ar' ? 'rtl' : 'ltr',
      fieldsetsWithoutLegend: 0,
      requiredWithoutMark: [],
      requests: [],
    });
  });
});

describe.each(LOCALES)('[civic:FM1] [civic:FM2] the form in %s, by keyboard alone', (locale) => {
  test('is walked in its order with the place always shown, and sent whole once what is required is given', async () => {
    const page = await browser.newPage({ viewport: { width: 420, height: 900 } });
    const html = `<!doctype html><meta charset="utf-8"><title>Form</title>${await formOf(locale)}`;
    await page.setContent(html);
    await page.evaluate(watchForm);
    await page.evaluate(pressSend);
    const early = await page.evaluate(sentValues);
    await page.setContent(html);
    const expected = await page.evaluate(watchForm);
    const walked: string[] = [];
    const shown = new Set<string>();
    for (let presses = 0; walked.at(-1) !== 'BUTTON' && presses < 100; presses++) {
      await page.keyboard.press('Tab');
      const { name, kind, isShown } = await page.evaluate(whereAmI);
      // A month has several places to stop at, and shows some of them in its own way.
      if (walked.at(-1) !== name) walked.push(name);
      if (isShown) shown.add(name);
      if (kind === 'select-one') await page.keyboard.press('ArrowDown');
      if (kind === 'text') await page.keyboard.type('Eupen');
    }
    await page.keyboard.press('Enter');
    const sent = await page.evaluate(sentValues);
    await page.close();
    const { version, alpha_consent_bundle, region, conversation_language } = (sent ?? {}) as Record<string, string>;
    expect([early, walked, walked.filter((name) => !shown.has(name))]).toEqual([null, expected, []]);
    expect([/^[0-9a-f]{12}$/.test(version ?? ''), alpha_consent_bundle, region, conversation_language]).toEqual([
      true,
      'yes',
      'brussels',
      'Eupen',
    ]);
  });
});

describe('a list of rows', () => {
  const formPage = async (policy: string, javaScriptEnabled: boolean) => {
    const page = await browser.newPage({ viewport: { width: 420, height: 900 }, javaScriptEnabled });
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><style>:root{--form-accent:rgb(10, 90, 60);--form-logo-height:40px}</style>`;
    await page.setContent(`<!doctype html><meta charset="utf-8"><title>Form</title>${head}${await formOf('en')}`);
    return page;
  };
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${ROW_SCRIPT_SOURCE}`;

  test('grows under a policy that allows the script by its hash, with names that the check takes', async () => {
    const page = await formPage(policy, true);
    await page.click('[data-add-row]');
    await page.click('[data-add-row]');
    await page.selectOption('[name="residence_history.2.card_type"]', { index: 1 });
    await page.fill('[name="residence_history.2.start_month"]', '2021-05');
    await page.fill('[name="residence_history.2.end_month"]', '2023-04');
    const seen = await page.evaluate(rowsOf);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'form-rows.png'), fullPage: true });
    await page.close();
    const answer = await served.post('/api/onboarding-form/check', {
      skill_id: 'sample-residence-card',
      values: seen.values,
    });
    expect([seen.rows, seen.unnamed, seen.accent, seen.logo, answer.status]).toEqual([
      3,
      [],
      'rgb(10, 90, 60)',
      '40px',
      200,
    ]);
  });

  test('has its first row, and no button that does nothing, without the script', async () => {
    const page = await formPage("default-src 'none'; style-src 'unsafe-inline'", false);
    const isShown = await page.isVisible('[data-add-row]');
    const first = await page.isVisible('[name="residence_history.0.start_month"]');
    await page.close();
    expect([isShown, first]).toEqual([false, true]);
  });
});

/** Runs in the page: the rows, what they would send, and how the page branded the form. */
function rowsOf() {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the browser are not part of this project.
  const { document, getComputedStyle, FormData } = globalThis as any;
  const controls = [...document.querySelectorAll('[data-row] input,[data-row] select')];
  const entries = [...new FormData(document.querySelector('form'))] as [string, string][];
  return {
    rows: document.querySelectorAll('[data-row]').length,
    unnamed: controls.filter((one) => one.labels.length !== 1).map((one) => one.name),
    accent: getComputedStyle(document.querySelector('button[type=submit]')).backgroundColor,
    logo: getComputedStyle(document.querySelector('.brand')).height,
    values: Object.fromEntries(entries.filter(([name]) => name.startsWith('residence_history'))),
  };
}

/** Runs in the page: keeps what is sent, and gives the names of what a person can reach, in the order of the page. */
function watchForm(): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the browser are not part of this project.
  const page = globalThis as any;
  const form = page.document.querySelector('form');
  page.sent = null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  form.addEventListener('submit', (event: any) => {
    event.preventDefault();
    page.sent = Object.fromEntries(new page.FormData(form));
  });
  const reachable = [...form.querySelectorAll('input:not([type=hidden]),select,textarea,button')];
  return reachable.map((control) => control.name || control.className || control.tagName);
}

function pressSend(): void {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (globalThis as any).document.querySelector('button[type=submit]').click();
}

function sentValues(): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return (globalThis as any).sent;
}

function whereAmI(): { name: string; kind: string; isShown: boolean } {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const { document, getComputedStyle } = globalThis as any;
  const at = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const isShown = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  return { name: at.name || at.className || at.tagName, kind: at.type ?? '', isShown };
}

/** Runs in the page. */
function inspectForm() {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the browser are not part of this project.
  const { document, getComputedStyle } = globalThis as any;
  const controls = [...document.querySelectorAll('input:not([type=hidden]),select,textarea')];
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = (color.match(/\d+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = [...document.querySelectorAll('label,p,legend,small,h2,button')];
  return {
    unnamed: controls.filter((control) => !control.labels?.[0]?.textContent.trim()).map((control) => control.name),
    smallText: texts
      .filter((text) => Number.parseFloat(getComputedStyle(text).fontSize) < 12)
      .map((text) => text.textContent),
    faint: texts
      .filter((text) => {
        const style = getComputedStyle(text);
        const background = text.tagName === 'BUTTON' ? style.backgroundColor : 'rgb(255, 255, 255)';
        const [a, b] = [luminance(style.color), luminance(background)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
      })
      .map((text) => text.textContent),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    direction: getComputedStyle(document.querySelector('form')).direction,
    fieldsetsWithoutLegend: [...document.querySelectorAll('fieldset')].filter((set) => !set.querySelector('legend'))
      .length,
    requiredWithoutMark: controls
      .filter((control) => control.required && !control.labels?.[0]?.textContent.includes('*'))
      .map((control) => control.name),
  };
}
