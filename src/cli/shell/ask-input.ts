import type { JsonObject } from '../../contract/json.ts';
import { stillVisible, stillVisibleLine, visible } from '../../contract/visible-text.ts';
import type { ClientCallbacks, Question } from '../../host/connection/ports.ts';
import { inputFields } from './input-form.ts';

/** The person at the shell, for questions of servers. */
export interface InputPerson {
  print(text: string): void;
  /** One line; rejects when the signal aborts or the input ends. */
  ask(prompt: string, signal: AbortSignal): Promise<string>;
  /** Opens a page in the person's browser; false if there is none. */
  open(url: string): boolean;
}

const DECLINE: JsonObject = { action: 'decline' };
const CANCEL: JsonObject = { action: 'cancel' };

/** Asks the person at the shell the questions of servers, one after the other. */
export function inputCallbacks(person: InputPerson): NonNullable<ClientCallbacks['elicitation']> {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (ask: (question: Question, person: InputPerson) => Promise<JsonObject>) => (question: Question) => {
    const asked = last.then(() => ask(question, person));
    last = asked.catch(() => {});
    return asked;
  };
  return { form: inTurn(askForm), url: inTurn(askPage) };
}

async function askForm({ serverId, params, signal }: Question, person: InputPerson): Promise<JsonObject> {
  person.print(
    `${indented(params.message)}\n` +
      '(Return takes what stands in brackets; /decline says no, /cancel says nothing. Give no passwords or keys here.)\n',
  );
  const content: Record<string, unknown> = {};
  for (const field of inputFields(params.requestedSchema)) {
    for (;;) {
      person.print(`${stillVisibleLine(field.label)}\n`);
      const line = await person.ask(visible`${serverId}, ${field.name}: `, signal);
      if (line.trim() === '/decline') return DECLINE;
      if (line.trim() === '/cancel') return CANCEL;
      const parsed = field.parse(line);
      if ('value' in parsed) {
        if (parsed.value !== undefined) content[field.name] = parsed.value;
        break;
      }
      person.print(visible`not taken: ${parsed.wrong}\n`);
    }
  }
  person.print(`to ${serverId}: ${JSON.stringify(content)}\n`);
  return (await agrees('send it? ', signal, person)) ? { action: 'accept', content } : DECLINE;
}

/** Shows the address of a page, and its host separately. Nothing is fetched or opened before the person agrees. */
async function askPage({ serverId, params, signal }: Question, person: InputPerson): Promise<JsonObject> {
  const url = URL.parse(String(params.url ?? ''));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    person.print(`${serverId} asked to open something that is no web page; it was declined\n`);
    return DECLINE;
  }
  const plain = url.protocol === 'http:' ? ' (not encrypted)' : '';
  person.print(
    `${indented(params.message)}\n${serverId} wants you to open a page:\n  ${url.href}\n  host: ${url.host}${plain}\n`,
  );
  if (!(await agrees('open it? ', signal, person))) return DECLINE;
  if (!person.open(url.href)) person.print(`open it yourself: ${url.href}\n`);
  return { action: 'accept' };
}

/** A server's text after its name; each further line has a bar in front, so that it cannot look like one of ours. */
function indented(text: unknown): string {
  return stillVisible(String(text ?? '').replaceAll('\r\n', '\n')).replaceAll('\n', '\n  | ');
}

async function agrees(prompt: string, signal: AbortSignal, person: InputPerson): Promise<boolean> {
  for (;;) {
    const line = (await person.ask(`${prompt}(y or n) `, signal)).trim();
    if (/^(y|yes)$/i.test(line)) return true;
    if (/^(n|no|\/decline|\/cancel)$/i.test(line)) return false;
  }
}
