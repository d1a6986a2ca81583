/** A model that turns texts into vectors of equal length; quantised, so that what follows is whole numbers. */
export interface Encoder {
  /** Name of the model and of the quantisation: vectors of different ids are never compared. */
  readonly id: string;
  encode(texts: readonly string[]): Promise<Int8Array[]>;
}

/** Where vectors are kept between runs, by the hash of the model and the text. */
export interface VectorCache {
  get(keys: readonly string[]): Promise<ReadonlyMap<string, Int8Array>>;
  put(vectors: ReadonlyMap<string, Int8Array>): Promise<void>;
}

/** An encoder that holds a thread or memory until it is closed. */
export interface ClosableEncoder extends Encoder {
  close(): Promise<void>;
}

/**
 * An encoder that is opened when it is first asked: what is never asked costs nothing. `id` is known before. A failure to open
 * it stays one.
 */
export function lazyEncoder(id: string, open: () => Promise<Encoder>): Encoder {
  let opened: Promise<Encoder> | undefined;
  return {
    id,
    encode: async (texts) => {
      opened ??= open();
      return (await opened).encode(texts);
    },
  };
}

/** A vector of floats as whole numbers from -127 to 127, scaled so that its largest member is 127. */
export function quantise(vector: ArrayLike<number>): Int8Array {
  let largest = 0;
  for (let at = 0; at < vector.length; at += 1) largest = Math.max(largest, Math.abs(vector[at] as number));
  const quantised = new Int8Array(vector.length);
  if (largest === 0) return quantised;
  for (let at = 0; at < vector.length; at += 1) quantised[at] = Math.round(((vector[at] as number) / largest) * 127);
  return quantised;
}
