import { isObject } from '../../contract/json.ts';
import { SEARCH_LIMITS } from './limits.ts';

/** A tool as the search sees it; `name` is the public name and the key. */
export interface SearchableTool {
  readonly name: string;
  readonly server: string;
  readonly original_name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly serverTitle?: string | undefined;
  readonly serverDescription?: string | undefined;
  /** Past queries that led to a successful call of the tool, if learning is enabled. */
  readonly learnedQueries?: readonly string[] | undefined;
}

/** The fields that a reason can name, by weight. */
export const FIELDS = ['name', 'title', 'description', 'parameters', 'server', 'learned'] as const;
export type Field = (typeof FIELDS)[number];

export interface FieldText {
  readonly field: Field;
  /** Adjacent words of identifiers are also indexed as one term, because identifiers are short. */
  readonly identifier: boolean;
  /** Weight of one occurrence, in sixteenths. */
  readonly weight: number;
  /** Length in words at which an occurrence has its full weight. */
  readonly typicalWords: number;
  readonly text: string;
}

/** The searchable texts of a tool, with their weights. */
export function fieldsOf(tool: SearchableTool): FieldText[] {
  const parameters = parametersOf(tool.input_schema);
  const fields: FieldText[] = [
    { field: 'name', identifier: true, weight: 64, typicalWords: 3, text: tool.original_name },
    { field: 'title', identifier: true, weight: 32, typicalWords: 4, text: tool.title ?? '' },
    { field: 'description', identifier: false, weight: 18, typicalWords: 20, text: tool.description ?? '' },
    { field: 'parameters', identifier: false, weight: 8, typicalWords: 12, text: parameters.names },
    { field: 'parameters', identifier: false, weight: 5, typicalWords: 30, text: parameters.descriptions },
    {
      field: 'server',
      identifier: true,
      weight: 20,
      typicalWords: 4,
      text: `${tool.server} ${tool.serverTitle ?? ''}`,
    },
    { field: 'server', identifier: false, weight: 8, typicalWords: 25, text: tool.serverDescription ?? '' },
    { field: 'learned', identifier: false, weight: 24, typicalWords: 20, text: tool.learnedQueries?.join('\n') ?? '' },
  ];
  return fields
    .filter(({ text }) => typeof text === 'string' && text.trim() !== '')
    .map((field) => ({ ...field, text: field.text.slice(0, SEARCH_LIMITS.fieldCharsMax) }));
}

function parametersOf(schema: unknown): { names: string; descriptions: string } {
  const names: string[] = [];
  const descriptions: string[] = [];
  const visit = (node: unknown, depth: number): void => {
    if (depth > SEARCH_LIMITS.parameterDepthMax || !isObject(node)) return;
    if (isObject(node.properties)) {
      for (const [name, property] of Object.entries(node.properties)) {
        if (names.length >= SEARCH_LIMITS.parametersMax) return;
        names.push(name);
        if (!isObject(property)) continue;
        if (typeof property.description === 'string') descriptions.push(property.description);
        if (Array.isArray(property.enum))
          descriptions.push(
            property.enum
              .filter((value) => typeof value === 'string')
              .slice(0, 20)
              .join(' '),
          );
        visit(property, depth + 1);
      }
    }
    visit(node.items, depth + 1);
  };
  visit(schema, 0);
  return { names: names.join(' '), descriptions: descriptions.join('\n') };
}
