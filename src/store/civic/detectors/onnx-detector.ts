import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DetectedSpan, Detector } from '../../../civic/scrub/detector.ts';
import { readVocabulary, type Vocabulary, type WordPiece, wordPieces } from './word-pieces.ts';

/** The part of onnxruntime that is used. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(path: string): Promise<OnnxSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown;
}

interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(
    feeds: Record<string, unknown>,
  ): Promise<Record<string, { readonly data: ArrayLike<number>; readonly dims: readonly number[] }>>;
}

export interface OnnxOptions {
  /** Folder with `model.onnx`, `vocab.txt` and `config.json`, exported from a BERT model for token classification. */
  readonly folder: string;
  /** Labels that count, such as `PER`, each with its `B-` and `I-`. */
  readonly labels: readonly string[];
  runtime?(): OnnxRuntime | Promise<OnnxRuntime>;
}

/** A variable, so that bundlers leave the package out. */
const PACKAGE: string = 'onnxruntime-node';
/** Pieces of one run, including the two end markers. */
const PIECES_MAX = 256;

const ModelConfig = z.looseObject({ id2label: z.record(z.string(), z.string()) });
const TokenizerConfig = z.looseObject({ do_lower_case: z.boolean().default(false) });

/** A token classification model, run in this process by the optional package `onnxruntime-node`. */
export async function openOnnxDetector({ folder, labels, runtime = installed }: OnnxOptions): Promise<Detector> {
  const onnx = await runtime();
  const { id2label } = ModelConfig.parse(readJson(join(folder, 'config.json')));
  const { do_lower_case } = TokenizerConfig.parse(readJson(join(folder, 'tokenizer_config.json'), {}));
  const vocabulary = readVocabulary(readFileSync(join(folder, 'vocab.txt'), 'utf8'), do_lower_case);
  const counted = new Set(
    Object.entries(id2label).flatMap(([id, label]) =>
      labels.includes(label.replace(/^[BI]-/, '')) ? [Number(id)] : [],
    ),
  );
  if (counted.size === 0) throw new Error(`config.json has none of the labels ${labels.join(', ')}`);
  const session = await onnx.InferenceSession.create(join(folder, 'model.onnx'));
  return {
    name: 'onnx',
    async find(text) {
      const pieces = wordPieces(text, vocabulary);
      const spans: DetectedSpan[] = [];
      for (let at = 0; at < pieces.length; at += PIECES_MAX - 2) {
        const part = pieces.slice(at, at + PIECES_MAX - 2);
        const best = await classify(onnx, session, part, vocabulary);
        spans.push(...joined(part.filter((_, index) => counted.has(best[index] as number))));
      }
      return spans;
    },
  };
}

/** The index of the likeliest label of each piece. */
async function classify(
  onnx: OnnxRuntime,
  session: OnnxSession,
  pieces: readonly WordPiece[],
  { ids }: Vocabulary,
): Promise<number[]> {
  const input = [ids.get('[CLS]') as number, ...pieces.map(({ id }) => id), ids.get('[SEP]') as number];
  const tensor = (values: readonly number[]) =>
    new onnx.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const all: Readonly<Record<string, () => unknown>> = {
    input_ids: () => tensor(input),
    attention_mask: () => tensor(input.map(() => 1)),
    token_type_ids: () => tensor(input.map(() => 0)),
  };
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => {
      const make = all[name];
      if (!make) throw new Error(`the model asks for the input ${name}, which is not known here`);
      return [name, make()];
    }),
  );
  const logits = (await session.run(feeds))[session.outputNames[0] as string];
  const labels = logits?.dims.at(-1) ?? 0;
  if (!logits || logits.data.length !== input.length * labels) throw new Error('the model answers in another form');
  return pieces.map((_, index) => {
    const scores = Array.from({ length: labels }, (_, label) => Number(logits.data[(index + 1) * labels + label]));
    return scores.indexOf(Math.max(...scores));
  });
}

/** Joins adjacent pieces, at most one character apart, into one span. */
function joined(pieces: readonly WordPiece[]): DetectedSpan[] {
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of pieces) {
    const last = spans.at(-1);
    if (last && start - last.end <= 1) last.end = end;
    else spans.push({ start, end });
  }
  return spans;
}

function readJson(path: string, fallback?: unknown): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (fallback !== undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return fallback;
    throw error;
  }
}

async function installed(): Promise<OnnxRuntime> {
  const loaded = (await import(PACKAGE)) as OnnxRuntime & { readonly default?: OnnxRuntime };
  return loaded.default ?? loaded;
}
