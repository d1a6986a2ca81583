import { join } from 'node:path';
import type { Detector } from '../../civic/scrub/detector.ts';
import { openOnnxDetector } from '../../store/civic/detectors/onnx-detector.ts';
import { presidioDetector } from '../../store/civic/detectors/presidio-detector.ts';
import { usageError } from '../operation-command.ts';
import type { CivicConfig } from './civic-config.ts';

/** The configured detectors. A model that cannot be loaded stops the start; otherwise keepers would believe that it works. */
export async function openDetectors(config: CivicConfig): Promise<readonly Detector[]> {
  const detectors: Detector[] = [];
  if (config.presidio_url !== undefined) {
    detectors.push(presidioDetector({ url: config.presidio_url, language: config.presidio_language }));
  }
  if (config.onnx_model !== undefined) {
    try {
      detectors.push(await openOnnxDetector({ folder: config.onnx_model, labels: config.onnx_labels }));
    } catch (error) {
      const reason = (error as Error).message.split('\n')[0];
      throw usageError(
        `civic.onnx_model: ${join(config.onnx_model, 'model.onnx')} cannot be used: ${reason}. It needs the package onnxruntime-node, and model.onnx, vocab.txt and config.json in that folder.`,
      );
    }
  }
  return detectors;
}
