import { describe, expect, it } from 'vitest';
import { findPersonNames } from './find-person-names.ts';
import { ukrainianForms } from './ukrainian-forms.ts';

const names = (text: string): string[] => findPersonNames(text).map(({ start, end }) => text.slice(start, end));

describe('Ukrainian names', () => {
  it('are found in every case', () => {
    expect([
      ...['Ольга', 'Ольги', 'Ользі', 'Ольгу', 'Ольгою', 'Ольго'].map((form) => names(`Тут є ${form}.`)),
      ...['Андрія', 'Андрієві', 'Андрієм'].map((form) => names(`Тут є ${form}.`)),
    ]).toEqual([
      ...['Ольга', 'Ольги', 'Ользі', 'Ольгу', 'Ольгою', 'Ольго'].map((form) => [form]),
      ...['Андрія', 'Андрієві', 'Андрієм'].map((form) => [form]),
    ]);
    expect(ukrainianForms('антін')).toContain('антоном');
  });

  it('are found as patronymics, surnames, initials, after titles and in small letters', () => {
    expect(
      [
        'Питайте Людмилу Степанівну.',
        'Довідку видав Петренко.',
        'Лист від В. П. Кравчука надійшов.',
        'Пана Заболотного немає.',
        'Інспектор Рижій приходив двічі.',
        'наталя савчук прийшла',
        'Мар’ян Лис і П’єр тут.',
        'Звертаюся від імені Порфирія Лебедя.',
      ].map(names),
    ).toEqual([
      ['Людмилу Степанівну'],
      ['Петренко'],
      ['В. П. Кравчука'],
      ['Заболотного'],
      ['Рижій'],
      ['наталя савчук'],
      ['Мар’ян Лис', 'П’єр'],
      ['Порфирія Лебедя'],
    ]);
  });

  it('are not seen in streets, schools, offices, towns and words that begin a sentence', () => {
    expect(
      [
        'Вулиця Богдана Хмельницького, проспект Лесі Українки',
        'Школа ім. Григорія Сковороди',
        'Депутат Київської міської ради',
        'Міністерство юстиції у Львові та Верховна Рада',
        'Надія на рішення мала. Дані про дохід подають.',
        'Фонд «Карітас» і програма Еразмус',
      ].flatMap(names),
    ).toEqual([]);
  });
});
