import { z } from 'zod';
import { defineOperation } from '../../contract/operation.ts';
import { civicFailures, targetNotFound } from '../failures.ts';
import { FormOptions, formAnswer } from '../forms/form-answer.ts';
import { listProviders, providerLines } from '../providers/directory.ts';
import { encodeAnswer, etagOf, PRIVATE_CACHE, PUBLIC_META, publicJson, tagged, taggedByContent } from './answer.ts';
import { CORPUS_READ } from './graph.ts';
import { fromQuery } from './http-input.ts';
import type { ReadDeps } from './ports.ts';
import { PAGE_HEADERS, prefersHtml } from './prefers-html.ts';
import { currentModel, keptByModel, type SkillAnswer } from './read-model.ts';
import { FormShape, SkillId, SkillShape, type TextAnswer, TextShape } from './shapes.ts';

export const readSkill = defineOperation({
  id: 'civic.read_skill',
  summary: 'Read the canonical text of a skill.',
  description:
    'The canonical text of a skill: Markdown with its front matter, in which `version` stands. The number `status` is 200, as over HTTP; the state of the skill is in the front matter and in the graph. Forms come from get_onboarding_form, never from here.',
  input: z.strictObject({ skill_id: SkillId }),
  output: SkillShape as z.ZodType<SkillAnswer>,
  hints: CORPUS_READ,
  http: false,
  mcp: { ...publicJson.mcp, tool: 'read_skill' },
  cli: false,
  failures: civicFailures(),
  encode: publicJson.encode,
  run: ({ skill_id }, deps: ReadDeps) => skillAnswer(deps, skill_id),
});

/** The route of `read_skill`, which can also return the skill's form. */
export const getSkill = defineOperation({
  id: 'civic.get_skill',
  summary: 'Read the canonical text of a skill, or with `with_form=1` its form instead.',
  input: z.strictObject({
    skill_id: SkillId,
    with_form: z.enum(['0', '1']).optional().describe('1: answer with the form, as /api/onboarding-form does.'),
    ...FormOptions,
  }),
  output: z.union([SkillShape, FormShape]) as z.ZodType<object>,
  hints: CORPUS_READ,
  http: {
    method: 'GET',
    path: '/api/skills/{skill_id}',
    keep: keptByModel,
    read: fromQuery('with_form', 'app', 'locale', 'mode'),
    meta: (_output, input) => (input.with_form === '1' ? PRIVATE_META : PUBLIC_META),
    crossOrigin: true,
    etag: etagOf,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  encode: encodeAnswer,
  run: ({ with_form, ...input }, deps: ReadDeps): object | Promise<object> => {
    if (with_form === '1') return formAnswer(currentModel(deps), input);
    return skillAnswer(deps, input.skill_id);
  },
});

const PRIVATE_META = { headers: { 'cache-control': PRIVATE_CACHE } };

export const getCanonical = defineOperation({
  id: 'civic.get_canonical',
  summary: 'Read the canonical text of a skill as Markdown.',
  input: z.strictObject({ skill_id: SkillId }),
  output: TextShape,
  hints: CORPUS_READ,
  http: {
    method: 'GET',
    path: '/skills/{skill_id}/canonical',
    read: fromQuery(),
    contentType: 'text/markdown; charset=utf-8',
    meta: (output) => (pages.has(output) ? PAGE_META : CANONICAL_META),
    crossOrigin: true,
    etag: etagOf,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  encode: (output: TextAnswer) => output.text,
  run: ({ skill_id }, deps: ReadDeps, call): TextAnswer | Promise<TextAnswer> => {
    const page = prefersHtml(call.header('accept')) ? deps.site?.skillPage(skill_id) : undefined;
    if (page) {
      const shown = tagged({ text: page.text }, page.key);
      pages.add(shown);
      return shown;
    }
    const answer = skillAnswer(deps, skill_id);
    if (answer instanceof Promise) return answer.then(({ body }) => taggedByContent({ text: body }, body));
    return tagged({ text: answer.body }, currentModel(deps).snapshot.version);
  },
});

/** Answers that are pages for browsers, at the same URL where agents read the text. */
const pages = new WeakSet<object>();
const CANONICAL_META = { headers: { ...PUBLIC_META.headers, vary: 'accept' } };
const PAGE_META = { headers: { ...CANONICAL_META.headers, ...PAGE_HEADERS } };

/** A text with provider lists is rendered once a day; all others are cached. */
function skillAnswer(deps: ReadDeps, id: string): SkillAnswer | Promise<SkillAnswer> {
  const model = currentModel(deps);
  const { providers } = model.skill(id) ?? {};
  if (providers) return withProviders(deps, id, new Set(providers.map(({ category }) => category)));
  const answer = model.skillAnswer(id);
  if (!answer) throw targetNotFound();
  return answer;
}

async function withProviders(deps: ReadDeps, id: string, categories: ReadonlySet<string>): Promise<SkillAnswer> {
  const lists = new Map<string, string>();
  for (const category of categories) {
    lists.set(category, providerLines((await listProviders(deps.providers, category, deps.clock.now())) ?? []));
  }
  const answer = currentModel(deps).skillAnswerWith(id, lists);
  if (!answer) throw targetNotFound();
  return taggedByContent(answer);
}
