/** A model that encodes texts as vectors of equal length, quantized to integers. */
export interface Encoder {
  /** Names the model and the quantization: vectors with different ids are never compared. */
  readonly id: string;
  encode(texts: readonly string[]): Promise<Int8Array[]>;
}

/** Stores vectors between runs, by the hash of model and text. */
export interface VectorCache {
  get(keys: readonly string[]): Promise<ReadonlyMap<string, Int8Array>>;
  put(vectors: ReadonlyMap<string, Int8Array>): Promise<void>;
}

/** An encoder that holds a thread or memory until it is closed. */
export interface ClosableEncoder extends Encoder {
  close(): Promise<void>;
}

/** An encoder that is opened on first use; `id` is known before. A failure to open is permanent. */
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

/** Quantizes a vector to integers from -127 to 127, scaled so that the largest absolute value is 127. */
export function quantise(vector: ArrayLike<number>): Int8Array {
  let largest = 0;
  for (let at = 0; at < vector.length; at += 1) largest = Math.max(largest, Math.abs(vector[at] as number));
  const quantised = new Int8Array(vector.length);
  if (largest === 0) return quantised;
  for (let at = 0; at < vector.length; at += 1) quantised[at] = Math.round(((vector[at] as number) / largest) * 127);
  return quantised;
}
