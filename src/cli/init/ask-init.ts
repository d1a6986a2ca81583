import type { Readable, Writable } from 'node:stream';
import { DEFAULT_SURFACES, SURFACES } from '../../contract/approval-surfaces.ts';
import { BinderyError } from '../../contract/errors.ts';
import { visible } from '../../contract/visible-text.ts';
import type { InitAnswers, InitFound } from '../../gateway/administration/deps.ts';

/** The terminal for the questions. */
export interface AskedTerminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Asks for everything that no flag says. Nothing is changed if the person cancels. */
export async function askInit(
  found: InitFound,
  given: Partial<InitAnswers>,
  terminal: AskedTerminal,
): Promise<Partial<InitAnswers>> {
  const { intro, isCancel, multiselect, select } = await import('@clack/prompts');
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new BinderyError('CANCELLED', { detail: 'Nothing was changed' });
    return answer as Exclude<T, symbol>;
  };
  const choose = async <T extends string>(message: string, options: readonly Choice<T>[]): Promise<T> =>
    answered((await select({ message, options: options as never, ...terminal })) as T | symbol) as T;
  intro('Set up Bindery', terminal);
  return {
    ...(given.clients === undefined && found.clients.length > 0
      ? {
          clients: answered(
            await multiselect({
              message: 'Whose servers shall Bindery serve? Each client keeps one entry, Bindery.',
              options: found.clients.map(({ client, file, servers }) => ({
                value: client,
                label: client,
                hint: visible`${servers} ${servers === 1 ? 'server' : 'servers'}, ${file}`,
              })),
              initialValues: found.clients.map(({ client }) => client),
              required: false,
              ...terminal,
            }),
          ),
        }
      : {}),
    ...(given.policy === undefined ? { policy: await choose('What may agents do?', policyChoices(found)) } : {}),
    ...(given.surfaces === undefined
      ? {
          surfaces:
            (await choose('Where may you approve a call?', SURFACE_CHOICES)) === 'client' ? SURFACES : DEFAULT_SURFACES,
        }
      : {}),
    ...(given.start === undefined && found.runningPid === undefined
      ? { start: await choose(startQuestion(found), startChoices(found)) }
      : {}),
  };
}

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

function policyChoices({ hasPolicy }: InitFound): Choice<InitAnswers['policy']>[] {
  return [
    ...(hasPolicy ? [{ value: 'keep' as const, label: 'What your policy file says', hint: 'it stays as it is' }] : []),
    { value: 'ask-before-writes', label: 'Read, and ask before writes', hint: 'recommended' },
    { value: 'read-only', label: 'Read only', hint: 'tools that their servers call read-only' },
    { value: 'open', label: 'Everything' },
  ];
}

const SURFACE_CHOICES: readonly Choice<'own' | 'client'>[] = [
  { value: 'own', label: 'Console, terminal', hint: 'recommended: an agent cannot answer there' },
  { value: 'client', label: 'Also in the dialogue of the client', hint: 'an agent can answer for you' },
];

function startQuestion({ hasServices }: InitFound): string {
  return hasServices ? 'Start the gateway?' : 'Start the gateway? (No systemd here could start it at each login.)';
}

function startChoices({ hasServices }: InitFound): Choice<InitAnswers['start']>[] {
  return [
    { value: 'background', label: 'Now, in the background' },
    ...(hasServices
      ? [{ value: 'service' as const, label: 'Now and at each login', hint: 'a systemd service of your user' }]
      : []),
    { value: 'no', label: 'Not now' },
  ];
}
