/** What a person and a model say when a server asks through a client. */

export const MODEL_SAYS = 'the model was asked';

export const answerSampling = () => ({
  role: 'assistant',
  model: 'a-model',
  stopReason: 'endTurn',
  content: { type: 'text', text: MODEL_SAYS },
});

/** The folders that a client opens to servers. */
export const answerRoots = (folders = []) => ({
  roots: folders.map((folder) => ({ uri: `file://${folder}`, name: 'a root' })),
});

/** Fills in every field of a form, as this person would, and looks at every page. */
export function answerElicitation(params, person) {
  if (params?.mode === 'url') return { action: 'accept' };
  const fields = Object.entries(params?.requestedSchema?.properties ?? {});
  const content = Object.fromEntries(fields.map(([name, field]) => [name, valueFor(field, person)]));
  return { action: 'accept', content };
}

function valueFor(field, person) {
  if (field.default !== undefined) return field.default;
  const choice = field.enum?.[0] ?? (field.oneOf ?? field.anyOf)?.[0]?.const;
  if (choice !== undefined) return choice;
  if (field.type === 'array') return [valueFor(field.items ?? {}, person)];
  if (field.type === 'boolean') return true;
  if (field.type === 'number' || field.type === 'integer') return field.minimum ?? 1;
  const text = {
    email: 'a@b.example',
    uri: 'https://a.example',
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
  };
  return text[field.format] ?? person ?? 'a word of the person';
}
