/**
 * Tries each feature of one server with one client, in a process of its own:
 * `node probe.mjs '{"driver", "target", "probes"}'` prints `{"feature": "yes" | "no: why" | "none"}` as one line.
 * `none` says that the client cannot ask for it, or that the server does not offer it.
 */
import { MODEL_SAYS } from './answers.mjs';

const FEATURE_TIMEOUT_MS = 40_000;
/** Who asks at the same moment. */
const PEOPLE = ['Ann', 'Bob', 'Cem'];
const { driver, target, probes } = JSON.parse(process.argv[2]);

/** feature → what it takes to see it work. A probe throws where it does not. */
const FEATURES = {
  tools: async (client, { call }) => expect((await client.tools()).includes(call.name), 'the tool is not listed'),
  call: async (client, { call }) => expectText(await client.call(call.name, call.arguments), call.text),
  'tool error': async (client, { error }) => {
    const outcome = await client
      .call(error.name, error.arguments)
      .catch((cause) => ({ failed: true, text: String(cause) }));
    expect(outcome.failed, 'the failure was not told');
    expectText(outcome, error.text);
  },
  progress: async (client, { progress }) => {
    let reports = 0;
    await client.call(progress.name, progress.arguments, () => {
      reports += 1;
    });
    expect(reports > 0, 'no progress arrived');
  },
  resources: async (client) => {
    const [first] = await client.resources();
    expect(first, 'no resource is listed');
    expect((await client.read(first.uri)).length > 0, 'the resource is empty');
  },
  prompts: async (client, { prompt }) => {
    expect((await client.prompts()).includes(prompt.name), 'the prompt is not listed');
    expect((await client.prompt(prompt.name, prompt.arguments)).length > 0, 'the prompt is empty');
  },
  completion: async (client, { completion }) =>
    expect((await client.complete(completion.ref, completion.argument)).length > 0, 'nothing was suggested'),
  elicitation: async (client, { elicitation }) =>
    expectText(await client.call(elicitation.name, elicitation.arguments), elicitation.text),
  sampling: async (client, { sampling }) =>
    expectText(await client.call(sampling.name, sampling.arguments), MODEL_SAYS),
  // Servers ask for them when they have started, and may answer a first call before that.
  roots: async (client, { roots }) => {
    let answer;
    for (let tries = 0; tries < 20; tries += 1) {
      answer = await client.call(roots.name, {});
      if (answer.text.includes(roots.text)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expectText(answer, roots.text);
  },
  logs: async (client, { logs }) => {
    const lines = await client.logsDuring(() => client.call(logs.name, logs.arguments));
    expect(lines.length > 0, 'no log line arrived');
  },
  pages: async (client, { page }) => expectText(await client.call(page.name, page.arguments), page.text),
  state: async (client, { state }) => {
    const [, first] = /(\d+)/.exec((await client.call(state.name, {})).text) ?? [];
    expectText(await client.call(state.name, {}), String(Number(first) + 1));
  },
  cancellation: async (client, { cancellation: { wait, check } }) => {
    const tag = `probe ${process.pid}`;
    await client.cancel(wait.name, { ...wait.arguments, tag });
    for (let tries = 0; tries < 20; tries += 1) {
      if ((await client.call(check, { tag })).text === '1') return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the server was not told');
  },
  // Clients without a session meet the same process one after the other: each adds a tool that no other has added.
  'list changes': async (client, { change }) => {
    const name = `added_${process.pid}`;
    const tools = await client.toolsAfter(() => client.call(change.name, { name }));
    expect(tools.includes(name), 'the new tool is not listed');
  },
  'resource updates': (client, { touch }) => client.updatedAfter(touch.uri, () => client.call(touch.name, {})),
  isolation: async (_client, { isolation }) => {
    const clients = await Promise.all(PEOPLE.map((person) => openClient(person)));
    const answers = await Promise.all(clients.map((one) => one.call(isolation.name, {})));
    await Promise.all(clients.map((one) => one.close()));
    answers.forEach((answer, at) => {
      expectText(answer, PEOPLE[at]);
    });
  },
};

/** feature → the key of its probe, and the abilities that a client needs for it. */
const NEEDS = {
  tools: ['call', 'tools'],
  call: ['call', 'call'],
  'tool error': ['error', 'call'],
  progress: ['progress', 'progress'],
  resources: ['resource', 'resources', 'read'],
  prompts: ['prompt', 'prompts', 'prompt'],
  completion: ['completion', 'complete'],
  elicitation: ['elicitation', 'elicits'],
  sampling: ['sampling', 'samples'],
  roots: ['roots', 'opensFolders'],
  logs: ['logs', 'logsDuring'],
  pages: ['page', 'samples'],
  state: ['state', 'keepsConnection'],
  cancellation: ['cancellation', 'cancel'],
  'list changes': ['change', 'toolsAfter'],
  'resource updates': ['touch', 'updatedAfter'],
  isolation: ['isolation', 'elicits'],
};

const results = {};
try {
  const client = await openClient();
  for (const [feature, probe] of Object.entries(FEATURES)) {
    const [key, ...abilities] = NEEDS[feature];
    if (probes[key] === undefined || abilities.some((ability) => !client[ability])) results[feature] = 'none';
    else
      results[feature] = await within(probe(client, probes), feature).then(
        () => 'yes',
        (cause) => `no: ${reasonOf(cause)}`,
      );
  }
  await Promise.race([client.close(), new Promise((resolve) => setTimeout(resolve, 2_000))]);
} catch (cause) {
  for (const feature of Object.keys(FEATURES)) results[feature] ??= `no: ${reasonOf(cause)}`;
}
process.stdout.write(`\n${JSON.stringify(results)}\n`, () => process.exit(0));

async function openClient(person) {
  const { open } = await import(`./drivers/${driver.module}.mjs`);
  return within(open(target, driver.options ?? {}, person), 'connecting');
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

function expectText({ text }, part) {
  expect(text.includes(part), `answered ${JSON.stringify(text.slice(0, 200))}`);
}

function within(promise, what) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} took too long`)), FEATURE_TIMEOUT_MS).unref();
  });
  return Promise.race([promise, late]);
}

function reasonOf(cause) {
  return String(cause?.message ?? cause)
    .split('\n')[0]
    .slice(0, 200);
}
