import type { AnyOperation, Room } from '../../contract/operation.ts';
import { checkForm, getOnboardingForm, getPlainForm, showForm } from '../forms/operations.ts';
import { findSkill, getGraph } from './graph.ts';
import { getErrors, getLlmsText, getManifest, getSchema, getScrubRules } from './manifest.ts';
import { getPath, getPathDirectory } from './paths.ts';
import type { ReadDeps } from './ports.ts';
import { getProviders } from './providers.ts';
import { getCanonical, getSkill, readSkill } from './skill.ts';

const operations: readonly AnyOperation<ReadDeps>[] = [
  getGraph,
  findSkill,
  readSkill,
  getSkill,
  getCanonical,
  getOnboardingForm,
  getPlainForm,
  showForm,
  checkForm,
  getPathDirectory,
  getPath,
  getProviders,
  getManifest,
  getErrors,
  getSchema,
  getScrubRules,
  getLlmsText,
];

/** Everything that reads the corpus. */
export const readOperations: readonly AnyOperation<ReadDeps>[] = operations.map((operation) => ({
  ...operation,
  admit: (deps, call) => deps.admitRead(call),
}));

export const civicReadRoom: Room<ReadDeps> = {
  name: 'civic',
  summary: 'a public corpus, improved by agents, kept honest by consensus',
  operations: readOperations,
};
