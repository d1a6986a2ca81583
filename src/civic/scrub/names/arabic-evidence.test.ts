import { describe, expect, it } from 'vitest';
import { isVerb } from './arabic-evidence.ts';
import { findPersonNames } from './find-person-names.ts';
import { LetterModel } from './letter-model.ts';
import { ARABIC_LETTER_WEIGHTS } from './lists/arabic-letters-list.ts';

/** The texts in which no name is found. */
const without = (texts: readonly string[]): string[] => texts.filter((text) => findPersonNames(text).length === 0);
const held = (texts: readonly string[]): string[] => texts.filter((text) => findPersonNames(text).length > 0);

describe('Arabic words that no list settles', () => {
  it('look like names or like other words by their letters', () => {
    const model = new LetterModel(ARABIC_LETTER_WEIGHTS);
    expect(['لوكاشينكا', 'شتيوي', 'هاندسايد'].every((name) => model.score(name) > 0)).toBe(true);
    expect(['استدراك', 'احداثيات', 'الاستقصاء'].every((word) => model.score(word) < 0)).toBe(true);
    expect(held(['حنبوش في المكتب.', 'خشروم في المكتب.'])).toEqual(['حنبوش في المكتب.']);
  });

  it('are names after those who act, speak or are addressed', () => {
    expect(
      without([
        'وجهني عاهد إلى الطابق الثالث.',
        'رد علينا شنبط بعد أسبوع.',
        'لم أجد عند كاتبة الضبط ميسم نسخة من الحكم.',
        'بحسب سكرتيرته شنبط في المكتب.',
        'المرسل: شنبط',
        'مع التحية، جلنار السالم',
        'شكاية السيدة الزموري بقيت بدون جواب.',
        'السيدة كلاس تتابع ملفنا.',
        'ماتت الحاجة نعمات قبل صرف المعاش.',
        'طلبت العنود شهادة.',
      ]),
    ).toEqual([]);
  });

  it('are names beside a verb or beside another name', () => {
    expect(
      without([
        'شرتوح رفض الطلب.',
        'استمارة كندور محمود ناقصة.',
        'سافر سريع الشنبطي أمس.',
        'وافقت سمراء الزموري على التنازل.',
        'حضر روژهات الجلسة وحده.',
        'تولى فادي ملف الضريبة.',
        'حضرت جلسة الصلح مع فضيلة مكرازي.',
        'السيد فان دن بروك رفض التسجيل.',
        'أعاد إلينا ضياء الدين الطلب.',
        'رفضت اللجنة طلب عائلة أبو عرنة.',
      ]),
    ).toEqual([]);
  });

  it('are no names as inflected words, verbs, nationalities and set phrases', () => {
    expect(
      held([
        'أعطاني شنبطًا.',
        'يجب أن يكون العقد كاملا وموقعا.',
        'الضمان الاجتماعي يغطي نصف التكلفة.',
        'صديقتي أجنبية لا تتكلم العربية.',
        'المعلمة منعت ابني من الدخول.',
        'يقرأ الموظف بطاقتك.',
        'رافقتني جارتي إلى المحكمة.',
        'حضرة السيد المحافظ',
        'المواطن المغربي يحتاج إلى تأشيرة.',
        'ساحة سعد الله الجابري مغلقة.',
        'لا إله إلا الله محمد رسول الله',
        'عيد سعيد للجميع.',
        'أخي مغترب منذ عشرين عاما.',
        'الموظف الشاب متفهم ومرن.',
        'مدرسة ساطع الحصري لا تقبل التسجيل.',
      ]),
    ).toEqual([]);
  });

  it('are told from verbs, in the past of both sexes and in the present', () => {
    expect(['رفض', 'رفضت', 'اشتكت', 'يعمل', 'لم', 'مكتب', 'تصوير'].map(isVerb)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
