import { type FieldKinds, kindsBy } from './field-kinds.ts';
import { SCRUB_LIMITS } from './limits.ts';
import type { Finding } from './scrub-submission.ts';

/** A part of a text, in UTF-16 units. */
export interface DetectedSpan {
  readonly start: number;
  readonly end: number;
}

/** An external program that finds persons and personal data, in addition to the room's own rules. */
export interface Detector {
  readonly name: string;
  find(text: string, signal: AbortSignal): Promise<readonly DetectedSpan[]>;
}

/** Rules for a detector's finding and for a failed detector: both hold the item. */
export const DETECTED = 'detected';
export const DETECTOR_FAILED = 'detector_failed';

/**
 * Runs all detectors on the texts of an item. A detector that fails or times out counts as a finding: nothing passes that it did not check.
 */
export async function detectIn(detectors: readonly Detector[], item: unknown, fields: FieldKinds): Promise<Finding[]> {
  if (detectors.length === 0) return [];
  const texts = textsIn(item, fields);
  const signal = AbortSignal.timeout(SCRUB_LIMITS.detectorMs);
  const found = await Promise.all(detectors.map((detector) => runDetector(detector, texts, signal)));
  return found.flat();
}

interface PlacedText {
  readonly pointer: string;
  readonly text: string;
}

async function runDetector(
  detector: Detector,
  texts: readonly PlacedText[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    const found = await Promise.all(
      texts.map(async ({ pointer, text }) => {
        const spans = await orAborted(detector.find(text, signal), signal);
        return spans.map((span) => ({ rule: DETECTED, pointer, ...within(span, text) }));
      }),
    );
    return found.flat();
  } catch {
    return [{ rule: DETECTOR_FAILED, pointer: texts[0]?.pointer ?? '', start: 0, end: 0 }];
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** A detector's span is untrusted: an invalid one covers the whole text. */
function within({ start, end }: DetectedSpan, text: string): DetectedSpan {
  const isSpan = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end > start && end <= text.length;
  return isSpan ? { start, end } : { start: 0, end: text.length };
}

function textsIn(item: unknown, fields: FieldKinds): PlacedText[] {
  const kindOf = kindsBy(fields);
  const texts: PlacedText[] = [];
  const walk = (node: unknown, segments: readonly string[]): void => {
    if (typeof node === 'object' && node !== null) {
      for (const [key, member] of Object.entries(node)) walk(member, [...segments, key]);
      return;
    }
    const kind = kindOf(segments);
    if (typeof node !== 'string' || node.trim() === '' || kind === 'closed' || kind === 'url') return;
    const pointer = segments.map((one) => `/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    texts.push({ pointer, text: node });
  };
  walk(item, []);
  return texts;
}
