import { Line, plain, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import type { Field } from './call-fields.ts';

interface FieldInputProps {
  readonly field: Field;
  readonly value: string | readonly string[];
  readonly error: string | undefined;
  readonly onChange: (value: string | readonly string[]) => void;
}

/** One argument, with the facts of its schema. */
export function FieldInput(props: FieldInputProps) {
  const { field, value, error } = props;
  const about = (
    <span>
      <code>
        <Line text={field.name} max={80} />
      </code>
      <span class="faint facts-line">
        <Line text={[...(field.isRequired ? [t.tools.required] : []), ...field.facts].join(' · ')} max={300} />
      </span>
      {field.description !== '' && (
        <span class="faint description-line">
          <Shown text={field.description} fold={200} />
        </span>
      )}
    </span>
  );
  const problem = error !== undefined && (
    <span class="failed-text">
      <Line text={`${field.name} ${error}`} max={300} />
    </span>
  );
  if (field.kind === 'list') {
    const rows = typeof value === 'string' ? [''] : value;
    return (
      <fieldset class="list-field">
        <legend>{about}</legend>
        <ListRows {...props} rows={rows} />
        {problem}
      </fieldset>
    );
  }
  return (
    <label>
      {about}
      <ScalarInput {...props} text={typeof value === 'string' ? value : ''} />
      {problem}
    </label>
  );
}

function ScalarInput({ field, error, onChange, text }: FieldInputProps & { readonly text: string }) {
  const common = { value: text, 'aria-invalid': error !== undefined };
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
    return (
      <select {...common} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t.tools.notGiven}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {plain(choice.replace(/^"(.*)"$/, '$1'))}
          </option>
        ))}
      </select>
    );
  }
  const typed = { ...common, placeholder: field.hint, spellcheck: false };
  return field.kind === 'json' ? (
    <textarea {...typed} class="mono" rows={3} onInput={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <input
      {...typed}
      inputMode={field.kind === 'number' ? 'decimal' : 'text'}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A row for each entry; empty ones are not sent. */
function ListRows({ field, error, onChange, rows }: FieldInputProps & { readonly rows: readonly string[] }) {
  return (
    <>
      {rows.map((row, index) => (
        <div key={index} class="list-row">
          <input
            value={row}
            spellcheck={false}
            aria-invalid={error !== undefined}
            aria-label={t.form.entry(plain(field.name), index + 1)}
            onInput={(event) => onChange(rows.with(index, event.currentTarget.value))}
          />
          <button
            type="button"
            aria-label={t.form.removeEntry(plain(field.name), index + 1)}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          >
            {t.form.remove}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...rows, ''])}>
        {t.form.add}
      </button>
    </>
  );
}
