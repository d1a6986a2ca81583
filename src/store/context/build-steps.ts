/** The moments of a build between which the disk is in another state, in order. */
export const BUILD_STEPS = [
  'folder made',
  'documents written',
  'index written',
  'postings written',
  'search index written',
  'manifest written',
  'old cache moved aside',
  'new cache in place',
  'old cache removed',
] as const;

export type BuildStep = (typeof BUILD_STEPS)[number];

/** Hears of each moment as it is reached; tests end the process there. */
export type ReachStep = (step: BuildStep) => void;
