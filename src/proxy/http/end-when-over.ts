import { type EdgeResponse, whenClosed } from './edge-exchange.ts';
import { whenOver } from './when-over.ts';

/** Ends a stream that outlives its request when the credential that opened it does not hold any more. */
export function endWhenOver(response: EdgeResponse, until: number, over?: AbortSignal): void {
  const holding = over ? { until, over } : { until };
  whenClosed(
    response,
    whenOver(holding, () => void response.end()),
  );
}
