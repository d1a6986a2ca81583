/** What a person and a model say when a server asks through a client. */

export const MODEL_SAYS = 'the model was asked';

export const answerSampling = () => ({
  role: 'assistant',
  model: 'a-model',
  stopReason: 'endTurn',
  content: { type: 'text', text: MODEL_SAYS },
});

/** Fills in every field of a form. */
export function answerElicitation(params) {
  const fields = Object.entries(params?.requestedSchema?.properties ?? {});
  return { action: 'accept', content: Object.fromEntries(fields.map(([name, field]) => [name, valueFor(field)])) };
}

function valueFor(field) {
  if (field.default !== undefined) return field.default;
  const choice = field.enum?.[0] ?? (field.oneOf ?? field.anyOf)?.[0]?.const;
  if (choice !== undefined) return choice;
  if (field.type === 'array') return [valueFor(field.items ?? {})];
  if (field.type === 'boolean') return true;
  if (field.type === 'number' || field.type === 'integer') return field.minimum ?? 1;
  const text = {
    email: 'a@b.example',
    uri: 'https://a.example',
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
  };
  return text[field.format] ?? 'a word of the person';
}
