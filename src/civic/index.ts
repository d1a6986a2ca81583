/** The public API of `mcp-bindery/civic`: reading a corpus and serving it. */
export { type BuildContext, type Corpus, type CorpusBuild, CorpusBuilder } from './corpus/corpus-builder.ts';
export type { CheckCode, CorpusIssue, CorpusWarning } from './corpus/issue.ts';
export type { BuildState, CorpusSource, SnapshotSource } from './corpus/ports.ts';
export type { Artefact, Snapshot, SnapshotPath, SnapshotSkill } from './corpus/snapshot.ts';
export { isCorpusPath, type SourceFile, toSourceFile } from './corpus/source-file.ts';
export { type Citation, type FollowedCitation, followCitation } from './lifecycle/follow-citation.ts';
export type { LinkAnswer, LinkProbe } from './lifecycle/visit-link.ts';
export { FIREWALL_RULES } from './providers/firewall.ts';
export { readDirectory } from './providers/read-directory.ts';
export { allHealthy, type PathHealth, type ReadDeps } from './reads/ports.ts';
export { civicReadRoom, readOperations } from './reads/room.ts';
