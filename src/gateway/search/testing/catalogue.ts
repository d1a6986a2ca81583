import fc from 'fast-check';
import { ToolIndex } from '../ranking/tool-index.ts';
import type { SearchableTool } from '../searchable-tool.ts';

/** A tool with the given members and default ones. */
export function tool(
  server: string,
  originalName: string,
  description: string,
  more: Partial<SearchableTool> = {},
): SearchableTool {
  return {
    name: `${server}__${originalName}`,
    server,
    original_name: originalName,
    description,
    input_schema: { type: 'object', properties: {} },
    ...more,
  };
}

/** A small catalogue of typical servers. */
export const CATALOGUE: readonly SearchableTool[] = [
  tool('files', 'read_file', 'Read the complete contents of a file from disk.', {
    input_schema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path of the file' } },
      required: ['path'],
    },
  }),
  tool('files', 'write_file', 'Create a new file or overwrite an existing one with new contents.', {
    input_schema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  }),
  tool('weather', 'getForecast', 'Weather forecast for a city: temperature, rain and wind.', {
    input_schema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  }),
  tool('calendar', 'create_event', 'Create an event in the calendar.'),
  tool('calendar', 'list_events', 'List the events of a day or a week.'),
  tool('hackernews', 'top_stories', 'Stories that people discuss now.', { serverTitle: 'Hacker News' }),
  tool('movies', 'find_film', 'Find films by title, actor or genre.'),
  tool('cn', 'get_hot', '获取微博热搜榜单', { serverTitle: '热点' }),
  tool('translate', 'translate_text', 'Translate a text into another language.'),
  tool('stocks', 'ticker_history', 'Historical prices of a stock by its ticker symbol.'),
];

export function indexOf(tools: readonly SearchableTool[]): ToolIndex {
  const index = new ToolIndex();
  for (const [server, ofServer] of Map.groupBy(tools, ({ server }) => server)) index.replaceServer(server, ofServer);
  return index;
}

const WORDS = [
  'read',
  'write',
  'file',
  'weather',
  'city',
  'stock',
  'price',
  'list',
  'event',
  'translate',
  'film',
  'search',
  'image',
  'note',
  '新闻',
  '天气',
];

/** A text of a few known words. */
export const anyText = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '));

/** A catalogue of a few servers with a few tools each, with unique names. */
export const anyCatalogue: fc.Arbitrary<SearchableTool[]> = fc
  .array(
    fc.record({
      server: fc.constantFrom('a', 'b', 'c', 'd'),
      verb: fc.constantFrom(...WORDS),
      noun: fc.constantFrom(...WORDS),
      text: anyText,
    }),
    { maxLength: 14 },
  )
  .map((parts) => parts.map(({ server, verb, noun, text }, at) => tool(server, `${verb}_${noun}_${at}`, text)));
