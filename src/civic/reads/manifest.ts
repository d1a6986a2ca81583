import { z } from 'zod';
import { defineOperation } from '../../contract/operation.ts';
import { CONTRACT_VERSIONS, MANIFEST_CONFIG } from '../config.ts';
import type { BuildState } from '../corpus/ports.ts';
import { emptySnapshot, type Snapshot } from '../corpus/snapshot.ts';
import { civicFailures, errorCatalogue, targetNotFound } from '../failures.ts';
import { encodeAnswer, etagOf, publicJson, tagged, taggedByContent } from './answer.ts';
import { CORPUS_READ } from './graph.ts';
import { fromQuery } from './http-input.ts';
import type { ReadDeps } from './ports.ts';
import { currentModel } from './read-model.ts';
import { type TextAnswer, TextShape } from './shapes.ts';

const faces = { hints: CORPUS_READ, mcp: false, cli: false, failures: civicFailures() } as const;
const anyObject: z.ZodType<object> = z.looseObject({});

/** SHA-256 of nothing: the version of an empty corpus. */
const EMPTY_VERSION = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const getManifest = defineOperation({
  ...faces,
  id: 'civic.get_manifest',
  summary: 'See the version, the numbers and every artefact of the corpus.',
  input: z.strictObject({}),
  output: z.looseObject({
    version: z.string(),
    generated_at: z.string(),
    contract_versions: z.array(z.string()),
    endpoints: z.object({ mcp: z.string(), submit: z.string() }),
    build: z.object({
      ok: z.boolean(),
      errors: z.array(z.object({ code: z.string(), path: z.string(), message: z.string() })),
    }),
    config: z.looseObject({}),
    artefacts: z.array(z.object({ type: z.string(), id: z.string(), version: z.string(), status: z.string() })),
  }) as z.ZodType<object>,
  http: { ...publicJson.http, method: 'GET', path: '/agents/manifest.json', read: fromQuery() },
  encode: encodeAnswer,
  run: (_input, deps: ReadDeps) => manifestOf(deps),
});

export const getErrors = defineOperation({
  ...faces,
  id: 'civic.get_errors',
  summary: 'List every problem code and what it means.',
  input: z.strictObject({}),
  output: anyObject,
  http: { ...publicJson.http, method: 'GET', path: '/agents/errors.json', read: fromQuery() },
  encode: encodeAnswer,
  run: (_input, deps: ReadDeps) => taggedByContent(errorCatalogue(deps.baseUrl())),
});

export const getSchema = defineOperation({
  ...faces,
  id: 'civic.get_schema',
  summary: 'Get the JSON Schema of a type of submission.',
  input: z.strictObject({ file: z.string().max(100).describe('`<type>.json`, or `envelope.json`.') }),
  output: anyObject,
  http: { ...publicJson.http, method: 'GET', path: '/agents/schemas/{file}', read: fromQuery() },
  encode: encodeAnswer,
  run: ({ file }, deps: ReadDeps) => {
    const name = /^([a-z_]+)\.json$/.exec(file)?.[1] ?? '';
    const schema = Object.hasOwn(deps.schemas, name) ? deps.schemas[name] : undefined;
    if (!schema) throw targetNotFound();
    return taggedByContent(schema);
  },
});

export const getScrubRules = defineOperation({
  ...faces,
  id: 'civic.get_scrub_rules',
  summary: 'List the rules by which texts are searched for personal data.',
  input: z.strictObject({}),
  output: anyObject,
  http: { ...publicJson.http, method: 'GET', path: '/scrub-rules.json', read: fromQuery() },
  encode: encodeAnswer,
  run: (_input, deps: ReadDeps) => taggedByContent({ schema_version: 2, rules: deps.scrubRules }),
});

export const getLlmsText = defineOperation({
  ...faces,
  id: 'civic.get_llms_text',
  summary: 'List the skills as text for language models.',
  input: z.strictObject({}),
  output: TextShape,
  http: {
    method: 'GET',
    path: '/llms.txt',
    read: fromQuery(),
    contentType: 'text/plain; charset=utf-8',
    meta: publicJson.http.meta,
    crossOrigin: true,
    etag: etagOf,
  },
  encode: (output: TextAnswer) => output.text,
  run: (_input, deps: ReadDeps): Promise<TextAnswer> => {
    const answer = llmsTextOf(deps);
    return taggedByContent(answer, answer.text);
  },
});

const manifests = new WeakMap<BuildState, { snapshot: Snapshot | undefined; manifest: object }>();
const llmsTexts = new WeakMap<Snapshot, { baseUrl: string; answer: TextAnswer }>();

function manifestOf(deps: ReadDeps): object {
  const state = deps.corpus.state();
  const current = deps.corpus.current()?.snapshot;
  const known = manifests.get(state);
  if (known && known.snapshot === current) return known.manifest;
  const snapshot = current ?? emptySnapshot(EMPTY_VERSION, new Date(0).toISOString());
  const manifest = {
    version: snapshot.version,
    generated_at: snapshot.generated_at,
    contract_versions: CONTRACT_VERSIONS,
    endpoints: { mcp: `${deps.baseUrl()}/civic/mcp`, submit: `${deps.baseUrl()}/api/feedback` },
    build: { ok: state.ok, errors: state.errors },
    config: MANIFEST_CONFIG,
    artefacts: snapshot.artefacts,
  };
  // A failing build changes the tag while the version stays.
  tagged(manifest, state.ok ? snapshot.version : `${snapshot.version}.${textTag(JSON.stringify(state.errors))}`);
  manifests.set(state, { snapshot: current, manifest });
  return manifest;
}

function llmsTextOf(deps: ReadDeps): TextAnswer {
  const model = currentModel(deps);
  const baseUrl = deps.baseUrl();
  const known = llmsTexts.get(model.snapshot);
  if (known?.baseUrl === baseUrl) return known.answer;
  const lines = model.snapshot.skills.map(
    ({ id, title, summary }) => `- [${oneLine(title)}](${model.canonicalUrl(id)}): ${oneLine(summary)}\n`,
  );
  const head = `> Agents read and submit over MCP at ${baseUrl}/civic/mcp\n\n`;
  const answer = { text: head + lines.join('') };
  llmsTexts.set(model.snapshot, { baseUrl, answer });
  return answer;
}

/** A short tag of a text, not for security. */
function textTag(text: string): string {
  let hash = 5381;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0;
  return `failed-${hash.toString(16)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
