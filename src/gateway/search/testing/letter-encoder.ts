import { type Encoder, quantise } from '../vectors/encoder.ts';

/** A model of letters: texts are close if they have the same ones. It answers when its gate is open, and says what it was asked. */
export function letterEncoder(): Encoder & { readonly asked: string[]; gate?: Promise<void> } {
  const asked: string[] = [];
  return {
    id: 'letters',
    asked,
    async encode(texts) {
      await this.gate;
      asked.push(...texts);
      return texts.map((text) =>
        quantise([...'abcdefghijklmnopqrstuvwxyz'].map((letter) => text.toLowerCase().split(letter).length - 1)),
      );
    },
  };
}
