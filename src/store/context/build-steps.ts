/** The steps of a build that change the state of the disk, in order. */
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

/** Called at each step; tests kill the process there. */
export type ReachStep = (step: BuildStep) => void;
