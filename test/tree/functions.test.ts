import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../support/repository.ts';

const LINES_MAX = 70;
const PARAMETERS_MAX = 4;

interface FoundFunction {
  /** `file name`, by which lists name it. */
  readonly id: string;
  readonly lines: number;
  readonly parameters: number;
}

/** Every function of a file that has a name: declared, a method, or the value of a constant or member. */
function functionsOf(file: string): FoundFunction[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: FoundFunction[] = [];
  const add = (key: object, value: object | null) => {
    if (!value || !('params' in value) || !Array.isArray(value.params)) return;
    const { start, end } = value as unknown as { start: number; end: number };
    const name = 'name' in key ? String(key.name) : 'value' in key ? String(key.value) : '?';
    const lines = text.slice(start, end).split('\n').length;
    found.push({ id: `${file} ${name}`, lines, parameters: value.params.length });
  };
  new Visitor({
    FunctionDeclaration: (node) => node.id && add(node.id, node),
    MethodDefinition: (node) => add(node.key, node.value),
    PropertyDefinition: (node) => add(node.key, node.value),
    Property: (node) => add(node.key, node.value),
    VariableDeclarator: (node) => add(node.id, node.init),
  }).visit(parseSync(file, text).program);
  return found;
}

const functions = sourceFiles('src')
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .flatMap(functionsOf);

/** Functions that were too long when the limit came. One that is short now leaves the list; none may join it. */
const LONG = [
  'src/cli/rooms/host/host-deps.ts createHostDeps',
  'src/context/manifest-scan.ts scanEntries',
  'src/host/transports/http-exchange.ts exchange',
];

/** The same for parameters. */
const MANY_PARAMETERS = [
  'src/bind/check-zone.ts checkCascade',
  'src/bind/check-zone.ts checkRecord',
  'src/bind/explain.ts judge',
  'src/bind/operations/import-registry.ts importOne',
  'src/bind/server-json.ts importRemote',
  'src/civic/corpus/check-body.ts checkMarkup',
  'src/civic/corpus/corpus-builder.ts take',
  'src/civic/forms/render-form.ts labelFor',
  'src/civic/forms/section-one.ts choice',
  'src/civic/forms/section-one.ts label',
  'src/civic/lifecycle/record-event.ts recordEvent',
  'src/civic/submissions/apply-change.ts applyAmendment',
  'src/civic/submissions/find-duplicate.ts findDuplicate',
  'src/civic/submissions/item-author.ts authorOf',
  'src/civic/submissions/store-item.ts storeItem',
  'src/cli/operation-command.ts runOperation',
  'src/context/postings.ts constructor',
  'src/gateway/catalogue/line-diff.ts meetingWithin',
  'src/gateway/search/ranking/rank-tools.ts fuse',
  'src/gateway/search/ranking/rank-tools.ts withSemantics',
  'src/host/adapters/standard-tools.ts allow',
  'src/host/connection/catalogue/list-catalogue.ts listAll',
  'src/host/connection/catalogue/list-catalogue.ts optional',
  'src/host/oauth/client-registration.ts chooseClient',
  'src/host/oauth/client-registration.ts register',
  'src/host/oauth/discover-authorization.ts discoverAuthorization',
  'src/host/oauth/request-token.ts requestToken',
  'src/host/oauth/sign-in.ts firstAnswer',
  'src/host/transports/response-parser.ts takeUntil',
  'src/http/app.ts mount',
  'src/proxy/call/refuse-request.ts failed',
  'src/proxy/call/refuse-request.ts refuseRequest',
  'src/proxy/call/refuse-request.ts refusedEntry',
  'src/proxy/call/unrecorded.ts forwardUnrecorded',
  'src/proxy/call/unrecorded.ts subscribeOwn',
  'src/proxy/call/unrecorded.ts subscribeShared',
  'src/proxy/lists/listen.ts subscribe',
  'src/proxy/nodes/other-nodes.ts continueHeld',
  'src/proxy/tasks/tasks.ts forwardTask',
  'src/store/context/build-cache.ts fillFolder',
  'src/store/context/build-cache.ts writeDocuments',
  'src/store/context/kept-cache.ts keptCache',
  'src/store/context/open-cache.ts readDocuments',
  'src/store/context/vocabulary.ts add',
  'src/wire/json-scan.ts copy',
];

/** Functions that break a limit and are not listed, and listed ones that keep it now. */
function surprises(breaks: (found: FoundFunction) => boolean, listed: readonly string[]) {
  const ids = new Set(functions.filter(breaks).map(({ id }) => id));
  return { joined: [...ids].filter((id) => !listed.includes(id)), left: listed.filter((id) => !ids.has(id)) };
}

test('a function fits on a screen', () => {
  expect(surprises(({ lines }) => lines > LINES_MAX, LONG)).toEqual({ joined: [], left: [] });
});

test('a function has four parameters at most', () => {
  expect(surprises(({ parameters }) => parameters > PARAMETERS_MAX, MANY_PARAMETERS)).toEqual({ joined: [], left: [] });
});
