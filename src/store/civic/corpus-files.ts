import { join } from 'node:path';
import { CORPUS_LIMITS } from '../../civic/config.ts';
import type { Corpus } from '../../civic/corpus/corpus-builder.ts';
import type { ParsedSkill } from '../../civic/corpus/parse-skill.ts';
import { knownScopes } from '../../civic/protection/known-scopes.ts';
import { findMentions } from '../../civic/protection/mentions.ts';
import type { CorpusFiles, FiledArtefact, FiledLink } from '../../civic/submissions/desk.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { uncommittedEdit } from '../corpus/uncommitted-edit.ts';
import type { WatchedCorpus } from '../corpus/watched-corpus.ts';

const NO_SCOPES = knownScopes([]);

/** The watched folder as a port for the write side. */
export function corpusFiles(dir: string, corpus: WatchedCorpus): CorpusFiles {
  const artefacts = perCorpus(corpus, filedArtefacts);
  const scopes = perCorpus(corpus, ({ skills, paths }) =>
    knownScopes([...skills.values(), ...paths.values()].map(({ matter }) => matter?.applies_to)),
  );
  return {
    artefacts: () => artefacts() ?? [],
    hosts: () => corpus.current()?.hosts ?? [],
    scopes: () => scopes() ?? NO_SCOPES,
    hasSource: (pathId, sourceId) =>
      corpus
        .current()
        ?.paths.get(pathId)
        ?.matter?.sources.some((source) => source.id === sourceId) ?? false,
    read(path) {
      const bytes = readSuppliedFileSync({ path: join(dir, path), within: dir, bytesMax: CORPUS_LIMITS.fileBytesMax });
      if (bytes) return bytes.toString('utf8').replaceAll('\r\n', '\n');
      // An unavailable folder proves nothing: the file may still exist.
      corpus.requireFolder();
      return undefined;
    },
    check: (path, content, others = new Map()) =>
      corpus.check(
        [{ path, content }],
        [...others].map(([path, content]) => ({ path, content })),
      ),
    async write(path, content, message) {
      await corpus.commit([{ path, content }], message);
    },
    async writeUncommitted(path, content) {
      await corpus.commit([{ path, content }], undefined);
    },
    uncommitted: (path) => uncommittedEdit(dir, path),
    refresh: async () => (await corpus.refresh()).corpus !== undefined,
  };
}

/** Caches a value derived from the current corpus. */
function perCorpus<T>(corpus: WatchedCorpus, compute: (current: Corpus) => T): () => T | undefined {
  let known: { corpus: Corpus; value: T } | undefined;
  return () => {
    const current = corpus.current();
    if (current && known?.corpus !== current) known = { corpus: current, value: compute(current) };
    return current && known?.value;
  };
}

function filedArtefacts({ skills, paths, values, references }: Corpus): FiledArtefact[] {
  const filed: FiledArtefact[] = [];
  for (const [id, skill] of skills) {
    const { matter } = skill;
    if (!matter) continue;
    const links = uniqueLinks([...matter.citations.map(toLink), ...bodyLinks(skill)]);
    filed.push({ type: 'skill', id, version: matter.version, status: matter.status, ...supersedes(matter), links });
  }
  for (const [id, { matter }] of paths) {
    if (!matter) continue;
    const links = matter.sources.flatMap((source): FiledLink[] =>
      source.url === undefined
        ? []
        : [{ url: source.url, sourceId: source.id, isAudited: source.audited_document_delivery === true }],
    );
    filed.push({ type: 'path', id, version: matter.version, status: matter.status, ...supersedes(matter), links });
  }
  for (const [id, { version, status }] of values)
    filed.push({ type: 'volatile_value', id, version, status, links: [] });
  for (const [id, { version, status, ...row }] of references) {
    filed.push({ type: 'reference', id, version, status, links: [toLink(row)] });
  }
  return filed;
}

function toLink({
  url,
  archived_url,
}: {
  readonly url: string;
  readonly archived_url?: string | undefined;
}): FiledLink {
  return { url, ...(archived_url === undefined ? {} : { archivedUrl: archived_url }), isAudited: false };
}

/** Links of a body: those of `<Ref>`, with their archived copies, and Markdown links. */
function bodyLinks({ file, bodyStart, tags }: ParsedSkill): FiledLink[] {
  const refs = tags.flatMap(({ name, attributes: { url, archived_url } }) =>
    name === 'Ref' && url !== undefined ? [toLink({ url, archived_url })] : [],
  );
  const archived = new Set(refs.map(({ archivedUrl }) => archivedUrl));
  const written = findMentions(file.text?.slice(bodyStart) ?? '').links.filter(
    (url) => /^https?:/i.test(url) && !archived.has(url),
  );
  return [...refs, ...written.map((url) => toLink({ url }))];
}

/** Each URL once; the first entry knows the archived copy. */
function uniqueLinks(links: readonly FiledLink[]): FiledLink[] {
  const byUrl = new Map<string, FiledLink>();
  for (const link of links) if (!byUrl.has(link.url)) byUrl.set(link.url, link);
  return [...byUrl.values()];
}

function supersedes(matter: { readonly supersedes?: string | undefined }): { supersedes?: string } {
  return matter.supersedes === undefined ? {} : { supersedes: matter.supersedes };
}
