import type { ProfileView } from '../../proxy/lists/profile-view.ts';
import { openMiniLmEncoder } from '../../store/search/minilm-encoder.ts';
import { EndedCalls } from '../audit/ended-calls.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import type { GatewayRuntimeOptions } from '../runtime-options.ts';
import { RunningSearch } from './running-search.ts';

/** What helps the search of a running gateway beyond words: the model and what was learnt, each where it is switched on. */
export function searchOf(
  { config, audit, catalogue }: Pick<GatewayRuntime, 'config' | 'audit' | 'catalogue'>,
  { dataDir, log, clock }: Pick<GatewayRuntimeOptions, 'dataDir' | 'log' | 'clock'>,
  views: () => ProfileView[],
): RunningSearch {
  return new RunningSearch({
    dataDir,
    log,
    clock,
    settings: () => config.settings.search,
    openEncoder: openMiniLmEncoder,
    views,
    countTokens: (text) => catalogue.tokensOf(text),
    ended: new EndedCalls(dataDir, audit.chain),
  });
}
