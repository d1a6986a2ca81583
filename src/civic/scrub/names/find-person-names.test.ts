import { describe, expect, it } from 'vitest';
import { findPersonNames } from './find-person-names.ts';

const names = (text: string): string[] => findPersonNames(text).map(({ start, end }) => text.slice(start, end));

describe('findPersonNames', () => {
  it('[civic:PV8] cuts out the name and not the cue', () => {
    expect(
      [
        'Mme A. Willems et M. Dupont sont absents.',
        "Je m'appelle Nadia Belkacem.",
        'Frau Dr. Hermanns hat angerufen.',
        'Mevrouw De Vries en dhr. van den Broeck',
        'VAN DEN BERGHE Luc a payé.',
        'my name is peter, hello',
        'السيد حسن من البلدية',
        'Пані Мельник у комуні',
      ].map(names),
    ).toEqual([
      ['A. Willems', 'Dupont'],
      ['Nadia Belkacem'],
      ['Hermanns'],
      ['De Vries', 'van den Broeck'],
      ['VAN DEN BERGHE Luc'],
      ['peter'],
      ['حسن'],
      ['Мельник'],
    ]);
  });

  it('leaves out offices, places and what is named after a person', () => {
    expect(
      [
        'Monsieur le Bourgmestre et Madame la Ministre',
        'Madame, Monsieur,',
        'rue Jean Volders, avenue Paul Deschanel',
        'het Jan Palfijnziekenhuis, de Frans Van Ryhovelaan',
        'the Jules Bordet Institute',
        'la loi Breyne, de wet Breyne',
        'Saint-Gilles, Sint-Niklaas, Sankt Vith',
        'Service Public Fédéral Intérieur',
      ].flatMap(names),
    ).toEqual([]);
  });

  it('takes a relation for a cue only after a possessive', () => {
    expect([names('ma fille Chloé attend'), names('une fille Actiris attend')]).toEqual([['Chloé'], []]);
  });
});
