import { describe, expect, it } from 'vitest';
import { foldArabic } from './arabic-letters.ts';
import { findPersonNames } from './find-person-names.ts';
import { isArabicSound, isCyrillicSound } from './phonetic-names.ts';

const names = (text: string): string[] => findPersonNames(text).map(({ start, end }) => text.slice(start, end));

describe('Arabic names', () => {
  it('are found with letters joined to them, as compounds, and with vowel signs', () => {
    expect(
      [
        'شكرا لزينب على التوضيح.',
        'لم يصل إلى عبد الجليل بنيس شيء.',
        'تنتظر أم ياسر منذ شهرين.',
        'جاء مُحَمَّد أمس.',
        'جاء محـمـد أمس.',
      ].map(names),
    ).toEqual([['لزينب'], ['عبد الجليل بنيس'], ['أم ياسر'], ['مُحَمَّد'], ['محـمـد']]);
    expect(foldArabic('إِلى مدرسة')).toBe('الي مدرسه');
  });

  it('count beside another name, after a title, or where they speak, if they are words too', () => {
    expect(
      [
        'قال كريم إن الموقع معطل.',
        'الموظف كريم في تعامله.',
        'عزيزتي هدى، شكرا.',
        'على هدى القانون الجديد.',
        'وافق صالح بن ناصر على البيع.',
        'العقد صالح لمدة سنة.',
        'تطلب شهادة حسن السلوك.',
        'أختي أمل تنتظر.',
        'لدينا أمل كبير.',
      ].map((text) => names(text).length),
    ).toEqual([1, 0, 1, 0, 1, 0, 0, 1, 0]);
  });

  it('are not seen in streets, schools, months and offices', () => {
    expect(
      [
        'شارع محمد الخامس',
        'مدرسة خالد بن الوليد',
        'مكتب العمل في أبو ظبي',
        'السيد المدير والدكتور المناوب',
        'أخبرتني البلدية أن الملف ناقص',
      ].flatMap(names),
    ).toEqual([]);
  });

  it('of other languages are known by their sound', () => {
    expect(['كريستين', 'إليزابيث', 'استمارة', 'بلدية'].map(isArabicSound)).toEqual([true, true, false, false]);
    expect(['патрик', 'крістін', 'довідк'].map(isCyrillicSound)).toEqual([true, true, false]);
    expect(names('الموظفة كريستين ديسميت لا تعرف')).toEqual(['كريستين ديسميت']);
  });
});
