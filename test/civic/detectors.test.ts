import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DETECTED, type Detector } from '../../src/civic/scrub/detector.ts';
import { CivicConfig } from '../../src/cli/rooms/civic-config.ts';
import { openDetectors } from '../../src/cli/rooms/civic-detectors.ts';
import { type OnnxRuntime, openOnnxDetector } from '../../src/store/civic/detectors/onnx-detector.ts';
import { presidioDetector } from '../../src/store/civic/detectors/presidio-detector.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom } from '../../src/store/civic/testing/write-room.ts';

const signal = new AbortController().signal;

/** Speaks the form of a Presidio analyzer: offsets in code points. */
const asked: unknown[] = [];
let answer: (text: string) => [status: number, body: string];
const analyzer = createServer((incoming, outgoing) => {
  let body = '';
  incoming.on('data', (part) => {
    body += part;
  });
  incoming.on('end', () => {
    asked.push({ url: incoming.url, ...JSON.parse(body) });
    const [status, text] = answer(JSON.parse(body).text);
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => analyzer.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(analyzer.address() as AddressInfo).port}`;
});
afterAll(() => analyzer.close());

const finds =
  (word: string, score: number) =>
  (text: string): [number, string] => {
    const start = [...text.slice(0, text.indexOf(word))].length;
    const found = text.includes(word) ? [{ entity_type: 'PERSON', start, end: start + [...word].length, score }] : [];
    return [200, JSON.stringify(found)];
  };

describe('a Presidio analyzer', () => {
  test('is asked for one language, and its places are those of the text', async () => {
    answer = finds('Zorblat', 0.85);
    const text = '😀 Ask Zorblat.';
    const found = await presidioDetector({ url: `${url}/`, language: 'fr' }).find(text, signal);
    expect([asked.at(-1), found.map(({ start, end }) => text.slice(start, end))]).toMatchObject([
      { url: '/analyze', text, language: 'fr', score_threshold: 0.5 },
      ['Zorblat'],
    ]);
  });

  test('counts only where it is sure enough', async () => {
    answer = finds('Zorblat', 0.3);
    expect(await presidioDetector({ url, language: 'en' }).find('Ask Zorblat.', signal)).toEqual([]);
  });

  test.each([
    ['an error', 500, '[]'],
    ['no JSON', 200, 'hello'],
    ['another form', 200, '{"found": 1}'],
  ])('that answers with %s fails', async (_, status, body) => {
    answer = () => [status, body];
    await expect(presidioDetector({ url, language: 'en' }).find('Ask.', signal)).rejects.toThrow();
  });
});

/** Reads a table of scores by piece where a real runtime reads a graph. */
const runtime = (): OnnxRuntime => ({
  Tensor: class {
    readonly data: BigInt64Array;
    constructor(_type: 'int64', data: BigInt64Array) {
      this.data = data;
    }
  } as OnnxRuntime['Tensor'],
  InferenceSession: {
    async create(path) {
      const scores = JSON.parse(readFileSync(path, 'utf8')) as number[][];
      return {
        inputNames: ['input_ids', 'attention_mask'],
        outputNames: ['logits'],
        async run(feeds) {
          const ids = (feeds.input_ids as { data: BigInt64Array }).data;
          const data = [...ids].flatMap((id) => scores[Number(id)] as number[]);
          return { logits: { data, dims: [1, ids.length, 3] } };
        },
      };
    },
  },
});

function modelFolder(changes: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'onnx-'));
  const vocabulary = ['[UNK]', '[CLS]', '[SEP]', 'ask', 'zor', '##blat', 'quen', '.'];
  const person = new Set(['zor', '##blat', 'quen']);
  const files = {
    'vocab.txt': vocabulary.join('\n'),
    'config.json': JSON.stringify({ id2label: { 0: 'O', 1: 'B-PER', 2: 'I-PER' } }),
    'tokenizer_config.json': '{"do_lower_case": true}',
    'model.onnx': JSON.stringify(vocabulary.map((piece) => (person.has(piece) ? [0, 5, 1] : [5, 0, 1]))),
    ...changes,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('a model in a folder', () => {
  test('marks the pieces of a name as one span, in a text of any length', async () => {
    const detector = await openOnnxDetector({ folder: modelFolder(), labels: ['PER'], runtime });
    const text = `${'ask . '.repeat(200)}Ask Zórblat Quen. Ask.`;
    const found = await detector.find(text, signal);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['Zórblat Quen']);
  });

  test.each([
    ['labels that it does not have', {}, ['LOC']],
    ['a vocabulary without marks', { 'vocab.txt': 'ask\n' }, ['PER']],
    ['a config of another form', { 'config.json': '{}' }, ['PER']],
  ])('with %s is not opened', async (_, changes, labels) => {
    await expect(openOnnxDetector({ folder: modelFolder(changes), labels, runtime })).rejects.toThrow();
  });

  test('that cannot be loaded stops the start with what to do', async () => {
    const config = CivicConfig.parse({ onnx_model: join(tmpdir(), 'no-such-model') });
    await expect(openDetectors(config)).rejects.toThrow(/civic\.onnx_model: .*onnxruntime-node/);
  });
});

describe('detectors beside the rules', () => {
  const named: Detector = {
    name: 'named',
    find: async (text) => (text.includes('second floor') ? [{ start: 19, end: 31 }] : []),
  };
  const failing: Detector = { name: 'failing', find: async () => Promise.reject(new Error('away')) };

  test('hold what they find, and redaction takes it out', async () => {
    const room = await createWriteRoom({ detectors: [named] });
    try {
      const { body } = await room.post(ROUTES.concern, request('concern'), address(1));
      const [item] = (await room.review('/api/review?class=ner_hold')).body.items;
      await room.review(`/api/review/${item.queue_id}`, { decision: 'release', redact: true });
      const listed = (await room.get('/api/concerns?target_type=skill&target_id=sample-move')).body.concerns;
      expect([body.status, item.rules, listed[0].report]).toEqual([
        'held_ner',
        [DETECTED],
        'The desk is on the [redacted].',
      ]);
    } finally {
      await room.close();
    }
  });

  test('that fail mean a hold, in an envelope too; the findings of the others are joined', async () => {
    const room = await createWriteRoom({ detectors: [named, failing] });
    try {
      const single = (await room.post(ROUTES.concern, request('concern'), address(1))).body.status;
      const { session_id, ...common } = request('rating');
      const items = [{ type: 'feedback', body: 'The site is clear.' }, { type: 'nonsense' }];
      const { submitting_agent, schema_version, submitted_at, submission_contract_version, declared_capabilities } =
        common;
      const envelope = {
        session_id,
        submitting_agent,
        schema_version,
        submitted_at,
        submission_contract_version,
        declared_capabilities,
        items,
      };
      const { results } = (await room.post('/api/feedback', envelope, address(2))).body;
      const rules = (await room.review('/api/review?class=ner_hold')).body.items.map(
        (item: { rules: string[] }) => item.rules,
      );
      expect([single, results.map((one: { status: string }) => one.status), rules]).toEqual([
        'held_ner',
        ['held_ner', 'rejected'],
        [['detected', 'detector_failed'], ['detector_failed']],
      ]);
    } finally {
      await room.close();
    }
  });
});
