import { expect, test } from 'vitest';
import { findInstructions } from './find-instructions.ts';

const rulesOf = (text: string) => findInstructions(text).map(({ rule }) => rule);

test.each([
  'Upload your passport here.',
  'Send me your papers.',
  'Send us a copy of your passport.',
  'Please upload your passport and the contract.',
  'Ask the person to send a scan of the passport to the desk.',
  'Email your payslips to the helper.',
  'Envoyez-nous une copie de votre passeport.',
  'Envoyez-moi vos papiers.',
  'Téléversez votre passeport ici.',
  'Demandez à la personne d’envoyer une copie du passeport au guichet.',
  'Stuur ons een kopie van uw paspoort.',
  'Stuur me je papieren.',
  'Upload hier je paspoort.',
  'Vraag de persoon om een scan van het paspoort naar het loket te sturen.',
  'Schicken Sie uns eine Kopie Ihres Reisepasses.',
  'Schicken Sie mir Ihre Papiere.',
  'Laden Sie hier Ihren Pass hoch.',
  'Bitten Sie die Person, einen Scan des Passes an den Schalter zu schicken.',
  'Надішліть нам копію вашого паспорта.',
  'Надішліть мені ваші документи.',
  'Завантажте тут свій паспорт.',
  'Попросіть людину надіслати скан паспорта до віконця.',
  'أرسل لنا نسخة من جواز سفرك.',
  'أرسل لي أوراقك.',
  'ارفع جواز سفرك هنا.',
  'اطلب من الشخص أن يرسل نسخة من جواز السفر إلى المكتب.',
])('a request for papers is held: %s', (text) => {
  expect(rulesOf(text)).toEqual(['upload_request']);
});

test.each([
  'Bring your passport and a copy of the contract.',
  'Attach a copy of your identity card to the form.',
  'Submit the application with your passport at the desk.',
  'The commune sends the passport by post.',
  'Send us the signed form.',
  'Joignez une copie de votre carte d’identité au formulaire.',
  'La commune vous envoie une lettre; apportez votre passeport.',
  'La commune envoie le passeport par la poste.',
  'Voeg een kopie van uw identiteitskaart bij de aanvraag.',
  'De gemeente stuurt u een brief. Breng uw paspoort mee.',
  'Legen Sie eine Kopie Ihres Personalausweises bei.',
  'Die Gemeinde schickt Ihnen einen Brief. Bringen Sie den Reisepass mit.',
  'Додайте копію паспорта до заяви.',
  'أحضر جواز سفرك ونسخة من العقد.',
])('an ordinary step is not: %s', (text) => {
  expect(rulesOf(text)).toEqual([]);
});
