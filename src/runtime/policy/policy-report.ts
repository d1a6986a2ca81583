import type { Log } from '../../contract/ports.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { PolicyStatus } from './policy-status.ts';

type Layer = PolicyStatus['layers'][number];

/** Logs the state of every policy layer at the start, and each change. */
export class PolicyReport {
  readonly #log: Log;
  #reported: ReadonlyMap<string, string> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  report({ layers }: PolicyStatus): void {
    const before = this.#reported;
    this.#reported = new Map(layers.map((layer) => [nameOf(layer), stateOf(layer)]));
    for (const layer of layers) {
      if (before?.get(nameOf(layer)) === stateOf(layer)) continue;
      const level = before === undefined && layer.status === 'ok' ? 'info' : 'warn';
      this.#log[level](`policy: ${stateInWords(layer)}${firstWarning(layer)}`, { ...layer });
    }
    for (const name of before?.keys() ?? []) {
      if (!this.#reported.has(name)) this.#log.warn('policy: a layer is no longer in force', { layer: name });
    }
  }
}

/** The state of each policy layer, for a person who starts a gateway. */
export function policyLines({ layers }: PolicyStatus): string[] {
  return layers.flatMap((layer) => [
    `Policy (${nameOf(layer)}): ${stateInWords(layer)}`,
    ...layer.errors.map(({ line, message }) => `  error line ${line}: ${visibleLine(message)}`),
    ...layer.warnings.map(({ line, message }) => `  warning line ${line}: ${visibleLine(message)}`),
  ]);
}

/**
 * Problems with the policy, without file names, because anyone may ask whether a gateway is ready. They do not make it unready: the
 * last good version decides, and without one each call is denied.
 */
export function policyWarnings({ layers }: PolicyStatus): string[] {
  const troubled = layers.filter(({ status }) => status !== 'ok');
  return [...new Set(troubled.map((layer) => `${layer.layer} policy: ${stateInWords(layer)}`))];
}

function stateInWords(layer: Layer): string {
  if (layer.status === 'ok') return 'in force';
  const trouble = layer.status === 'vanished' ? 'its file is gone' : 'its file has errors or cannot be read';
  // An invalid profile has no previous version.
  const denies = 'profile' in layer ? layer.errors.length > 0 : layer.sha256 === null;
  return `${trouble}; ${denies ? 'every call is denied' : 'the last good version stays in force'}`;
}

/** A doubt about a policy that is in force; of a broken one, its errors matter. */
function firstWarning({ status, warnings }: Layer): string {
  const [first] = status === 'ok' ? warnings : [];
  return first === undefined ? '' : `, but line ${first.line}: ${visibleLine(first.message)}`;
}

function nameOf(layer: Layer): string {
  return 'profile' in layer ? `profile ${layer.profile}, ${layer.file}` : `${layer.layer}, ${layer.file}`;
}

function stateOf({ status, sha256, errors, warnings }: Layer): string {
  return JSON.stringify([status, sha256, errors, warnings]);
}
