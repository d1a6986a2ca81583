import { type Encoder, quantise } from '../vectors/encoder.ts';

/** A fake model: texts with the same letters are close. It answers when its gate is open, and records its inputs. */
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
