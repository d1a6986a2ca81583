// A small MCP server on stdin and stdout, without any library: `node server.js notes`, `weather` or `printer`.
// The demo starts one of each. Nothing of it leaves this machine, and nothing is kept when it ends.
import { createInterface } from 'node:readline';

const text = (description) => ({ type: 'string', description });
const tool = (name, description, properties, run, annotations = {}) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  annotations,
  run,
});
const READS = { readOnlyHint: true };

const notes = new Map([
  ['shopping', 'Bread, apples, a new pencil.'],
  ['ideas', 'A shelf for the atlas. A walk along the river.'],
]);

const SERVERS = {
  notes: [
    tool('list_notes', 'Lists the names of all notes.', {}, () => [...notes.keys()].join('\n'), READS),
    tool('read_note', 'Reads one note.', { name: text('name of the note') }, ({ name }) => found(name), READS),
    tool(
      'write_note',
      'Writes a note, in place of one with the same name.',
      { name: text('name of the note'), content: text('the whole text') },
      ({ name, content }) => {
        notes.set(name, content);
        return `wrote ${name}: ${content.length} characters`;
      },
    ),
    tool(
      'delete_note',
      'Deletes a note for good.',
      { name: text('name of the note') },
      ({ name }) => {
        found(name);
        notes.delete(name);
        return `deleted ${name}`;
      },
      { destructiveHint: true },
    ),
    tool(
      'search_notes',
      'Finds notes that hold a word.',
      { word: text('word to look for') },
      ({ word }) => [...notes].filter(([, content]) => content.includes(word)).map(([name]) => name).join('\n'),
      READS,
    ),
  ],
  weather: [
    tool(
      'forecast',
      'Tells the weather of a sample town for the next days.',
      { town: text('one of Northbridge, Eastmere, Southfield') },
      ({ town }) => `${town}: 14 °C, light rain until noon, then clear.`,
      READS,
    ),
    tool(
      'sun_times',
      'Tells when the sun rises and sets in a sample town.',
      { town: text('name of the town') },
      ({ town }) => `${town}: 06:52 to 17:21.`,
      READS,
    ),
  ],
  printer: [
    tool('print_page', 'Prints a page. This sample printer has run out of paper.', { content: text('what to print') }, () => {
      throw new Error('out of paper');
    }),
    tool('printer_state', 'Tells how the printer is.', {}, () => 'out of paper since this morning', READS),
  ],
};

function found(name) {
  const content = notes.get(name);
  if (content === undefined) throw new Error(`there is no note called ${name}`);
  return content;
}

const [, , name = 'notes'] = process.argv;
const tools = SERVERS[name] ?? [];

function call({ name: wanted, arguments: args = {} }) {
  try {
    const one = tools.find((candidate) => candidate.name === wanted);
    if (!one) throw new Error(`there is no tool ${wanted}`);
    return { content: [{ type: 'text', text: one.run(args) }] };
  } catch (error) {
    process.stderr.write(`${new Date().toISOString()} ${wanted}: ${error.message}\n`);
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: `sample-${name}`, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools.map(({ run: _, ...definition }) => definition) }),
  'tools/call': call,
};

process.stderr.write(`${new Date().toISOString()} sample server ${name} is ready with ${tools.length} tools\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const run = METHODS[method];
  const answer = run ? { result: run(params ?? {}) } : { error: { code: -32601, message: 'there is no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
