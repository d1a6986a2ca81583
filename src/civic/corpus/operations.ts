import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { civicFailures } from '../failures.ts';
import type { CorpusBuild } from './corpus-builder.ts';
import { toAgentSkill } from './export-skill.ts';

/** Dependencies of the commands on a folder. */
export interface FolderDeps {
  /** Reads and checks the folder, including the provider directory next to it. */
  build(dir: string): Promise<CorpusBuild>;
  /** Writes files into a folder; paths are relative, with `/`. */
  write(dir: string, files: readonly { path: string; text: string }[]): Promise<void>;
  /** A clock for durations. */
  elapsedMs(): number;
}

const Dir = z.string().min(1).describe('Folder of the corpus.');
const Finding = z.object({ code: z.string(), path: z.string(), message: z.string() });
const shared = { hints: READ_ONLY, http: false, mcp: false, failures: civicFailures() } as const;

export const checkCorpus = defineOperation({
  ...shared,
  id: 'civic.check',
  summary: 'Check a corpus folder.',
  input: z.strictObject({ dir: Dir }),
  output: z.object({ ok: z.boolean(), errors: z.array(Finding), warnings: z.array(Finding) }),
  cli: {
    command: 'civic check',
    positional: ['dir'],
    exit: (output) => (output.ok ? 0 : 1),
    print: ({ ok, errors, warnings }) =>
      [
        ...errors.map(({ code, path, message }) => `error ${path}: ${message} (${code})\n`),
        ...warnings.map(({ code, path, message }) => `warning ${path}: ${message} (${code})\n`),
        ok ? 'The corpus passes its checks.\n' : `${errors.length} errors.\n`,
      ].join(''),
  },
  run: async ({ dir }, deps: FolderDeps) => {
    const { errors, warnings } = await deps.build(dir);
    return { ok: errors.length === 0, errors: [...errors], warnings: [...warnings] };
  },
});

export const buildCorpus = defineOperation({
  ...shared,
  id: 'civic.build',
  summary: 'Build the snapshot of a corpus folder and print its version.',
  input: z.strictObject({ dir: Dir }),
  output: z.object({ version: z.string(), skills: z.number(), paths: z.number(), ms: z.number() }),
  cli: {
    command: 'civic build',
    positional: ['dir'],
    print: ({ version, skills, paths, ms }) => `${version} (${skills} skills, ${paths} paths, ${ms} ms)\n`,
  },
  run: async ({ dir }, deps: FolderDeps) => {
    const started = deps.elapsedMs();
    const { snapshot } = corpusOf(await deps.build(dir));
    const ms = Math.round(deps.elapsedMs() - started);
    return { version: snapshot.version, skills: snapshot.skills.length, paths: snapshot.paths.length, ms };
  },
});

export const exportCorpus = defineOperation({
  ...shared,
  id: 'civic.export',
  summary: 'Write every rendered skill as `<id>/SKILL.md`, the form that other agents read.',
  input: z.strictObject({ dir: Dir, to: z.string().min(1).describe('Folder to write into.') }),
  output: z.object({ skills: z.number(), to: z.string() }),
  cli: {
    command: 'civic export',
    positional: ['dir'],
    print: ({ skills, to }) => `${skills} skills written to ${to}\n`,
  },
  run: async ({ dir, to }, deps: FolderDeps) => {
    const corpus = corpusOf(await deps.build(dir));
    const files = corpus.snapshot.skills.map((skill) => ({
      path: `${skill.id}/SKILL.md`,
      text: toAgentSkill(skill, corpus.snapshot.values),
    }));
    await deps.write(to, files);
    return { skills: files.length, to };
  },
});

export const folderOperations = [checkCorpus, buildCorpus, exportCorpus] as const;

function corpusOf({ corpus, errors }: CorpusBuild) {
  if (corpus) return corpus;
  const shown = errors.slice(0, 20).map(({ code, path, message }) => `${path}: ${message} (${code})`);
  throw new BinderyError('corpus_invalid', { detail: shown.join('; '), members: { errors } });
}
