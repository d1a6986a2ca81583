import { expect, test } from 'vitest';
import { CATALOGUE } from '../testing/catalogue.ts';
import { letterEncoder } from '../testing/letter-encoder.ts';
import { BackgroundVectors } from './background-vectors.ts';
import { type Encoder, lazyEncoder } from './encoder.ts';

const failures = () => {
  const seen: unknown[] = [];
  return { seen, onFailure: (error: unknown) => void seen.push(error) };
};

test('queries do not use the model while it encodes any catalogue', async () => {
  const encoder = letterEncoder();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  encoder.gate = gate;
  const model = new BackgroundVectors(encoder, undefined, failures().onFailure);
  const [one, other] = [model.open(), model.open()];
  model.follow(one, CATALOGUE);
  const meanwhile = [await model.ask(one, ['rain']), await model.ask(other, ['rain'])];
  open();
  await model.settled();
  expect([meanwhile, encoder.asked.includes('rain'), await model.ask(one, ['rain'])]).toEqual([
    [undefined, undefined],
    false,
    { similarities: expect.any(Function) },
  ]);
});

test('a catalogue that changes during encoding gets the vectors of its current texts', async () => {
  const encoder = letterEncoder();
  const model = new BackgroundVectors(encoder, undefined, failures().onFailure);
  const vectors = model.open();
  model.follow(vectors, CATALOGUE.slice(0, 4));
  await Promise.resolve();
  model.follow(vectors, CATALOGUE);
  await model.settled();
  expect([vectors.isComplete, vectors.size]).toEqual([true, CATALOGUE.length]);
});

test('a failing model is reported once, and not used again', async () => {
  const error = new Error('no memory');
  let asked = 0;
  const broken: Encoder = {
    id: 'broken',
    encode: async () => {
      asked += 1;
      throw error;
    },
  };
  const { seen, onFailure } = failures();
  const model = new BackgroundVectors(broken, undefined, onFailure);
  const vectors = model.open();
  model.follow(vectors, CATALOGUE);
  await model.settled();
  model.follow(vectors, CATALOGUE.slice(1));
  expect([await model.ask(vectors, ['rain']), seen, asked]).toEqual([undefined, [error], 1]);
});

test('an encoder is opened on first use, and once', async () => {
  let opened = 0;
  const lazy = lazyEncoder('letters', async () => {
    opened += 1;
    return letterEncoder();
  });
  const before = opened;
  await Promise.all([lazy.encode(['a']), lazy.encode(['b'])]);
  expect([before, opened]).toEqual([0, 1]);
});
