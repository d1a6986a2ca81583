import { z } from 'zod';
import type { ProposalState } from '../../civic/review/follow-proposals.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_CHARS_MAX = 1024 * 1024;

export const FORGE_KINDS = ['github', 'gitlab', 'gitea'] as const;

/** `civic.forge` in config.json: where merge requests are opened. */
export const ForgeSettings = z.strictObject({
  kind: z.enum(FORGE_KINDS).describe('gitea: Forgejo too.'),
  url: z.url({ protocol: /^https?$/ }).describe('https://api.github.com, or the address of the instance.'),
  repository: z
    .string()
    .regex(/^[\w.-]+(?:\/[\w.-]+)+$/)
    .describe('owner/name'),
  base: z.string().min(1).max(200).default('main').describe('The branch that is merged into.'),
});
export type ForgeSettings = z.infer<typeof ForgeSettings>;

/** A merge request, by whatever name the forge uses. */
export interface Forge {
  open(branch: string, title: string, body: string): Promise<{ number: number; url: string }>;
  state(number: number): Promise<ProposalState>;
  close(number: number): Promise<void>;
}

/** The differences between forges: addresses, members and how a token is sent. */
interface Dialect {
  readonly requests: string;
  headers(token: string): Record<string, string>;
  opening(branch: string, base: string, title: string, body: string): object;
  readonly closing: { readonly method: string; readonly body: object };
  readonly numberMember: string;
  readonly urlMember: string;
}

function dialectOf({ kind, repository }: ForgeSettings): Dialect {
  const pulls = {
    numberMember: 'number',
    urlMember: 'html_url',
    closing: { method: 'PATCH', body: { state: 'closed' } },
  };
  const opening = (head: string, base: string, title: string, body: string) => ({ title, head, base, body });
  switch (kind) {
    case 'github':
      return {
        ...pulls,
        opening,
        requests: `/repos/${repository}/pulls`,
        headers: (token) => ({ authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' }),
      };
    case 'gitea':
      return {
        ...pulls,
        opening,
        requests: `/api/v1/repos/${repository}/pulls`,
        headers: (token) => ({ authorization: `token ${token}` }),
      };
    case 'gitlab':
      return {
        requests: `/api/v4/projects/${encodeURIComponent(repository)}/merge_requests`,
        headers: (token) => ({ 'private-token': token }),
        opening: (source_branch, target_branch, title, description) => ({
          source_branch,
          target_branch,
          title,
          description,
        }),
        closing: { method: 'PUT', body: { state_event: 'close' } },
        numberMember: 'iid',
        urlMember: 'web_url',
      };
  }
}

/** A client of a forge. Only a number and an address of its answers are shown. */
export function createForge(settings: ForgeSettings, token: string): Forge {
  const dialect = dialectOf(settings);
  const base = settings.url.replace(/\/+$/, '');
  const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${base}${dialect.requests}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'bindery-civic', ...dialect.headers(token) },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = (await response.text()).slice(0, ANSWER_CHARS_MAX);
    if (!response.ok) throw new Error(`the forge answered ${method} with ${response.status}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return {
    async open(branch, title, body) {
      const answer = await ask('POST', '', dialect.opening(branch, settings.base, title, body));
      return { number: Number(answer[dialect.numberMember]), url: String(answer[dialect.urlMember]) };
    },
    async state(number) {
      const answer = await ask('GET', `/${number}`);
      if (answer.merged === true || answer.state === 'merged') return 'merged';
      return answer.state === 'closed' ? 'closed' : 'open';
    },
    async close(number) {
      await ask(dialect.closing.method, `/${number}`, dialect.closing.body);
    },
  };
}
