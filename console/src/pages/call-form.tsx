import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange } from '../data/live.ts';
import { href } from '../data/router.ts';
import type { Tool } from '../data/types.ts';
import { ActionButton, Badge } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly description: string;
  readonly isRequired: boolean;
  readonly choices: readonly string[];
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

type Values = Readonly<Record<string, string>>;

/** A form made from the input schema. The call goes through policy, approval and audit like any other. */
export function CallForm({ tool }: { readonly tool: Tool }) {
  const fields = fieldsOf(tool.input_schema);
  const [values, setValues] = useState<Values>({});
  const [raw, setRaw] = useState<string>();
  const [result, setResult] = useState<Result>();
  const isRaw = raw !== undefined;
  const parsed = isRaw ? parseObject(raw) : argumentsOf(fields, values);
  if (!mayChange.value) return <p class="faint">{t.tools.callNeedsSignIn}</p>;
  const run = async () => {
    setResult(undefined);
    setResult(
      await api<Result>(`/v1/tools/${encodeURIComponent(tool.name)}/call`, {
        method: 'POST',
        body: { arguments: parsed },
      }),
    );
  };
  return (
    <form class="call-form" onSubmit={(event) => event.preventDefault()}>
      {isRaw ? (
        <label>
          {t.tools.rawArguments}
          <textarea
            class="mono"
            rows={8}
            value={raw}
            spellcheck={false}
            onInput={(event) => setRaw(event.currentTarget.value)}
          />
        </label>
      ) : (
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))
      )}
      {!isRaw && fields.length === 0 && <p class="faint">{t.tools.noArguments}</p>}
      <div class="actions">
        <ActionButton
          kind="primary"
          label={tool.decision.decision === 'approval' ? t.tools.callAndAsk : t.tools.call}
          busyLabel={tool.decision.decision === 'approval' ? t.tools.waiting : t.tools.calling}
          disabled={parsed === undefined}
          run={run}
        />
        <button
          type="button"
          onClick={() => setRaw(isRaw ? undefined : JSON.stringify(argumentsOf(fields, values) ?? {}, null, 2))}
        >
          {isRaw ? t.tools.asForm : t.tools.asJson}
        </button>
      </div>
      {parsed === undefined && <p class="failed-text">{t.tools.badArguments}</p>}
      <div aria-live="polite">{result && <CallResult result={result} />}</div>
    </form>
  );
}

function CallResult({ result }: { readonly result: Result }) {
  const { content = [] } = result;
  return (
    <section>
      <p>
        {result.isError === true ? (
          <Badge tone="failed">{t.tools.failed}</Badge>
        ) : (
          <Badge tone="ok">{t.tools.answered}</Badge>
        )}{' '}
        <a href={href('audit')}>{t.tools.seeAudit}</a>
      </p>
      {content.map((block, index) =>
        block.type === 'text' && block.text !== undefined ? (
          <pre key={index}>
            <Shown text={block.text} fold={8_000} />
          </pre>
        ) : (
          <Json key={index} value={block} />
        ),
      )}
    </section>
  );
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldInput({ field, value, onChange }: FieldInputProps) {
  const label = (
    <span>
      <code>
        <Line text={field.name} max={80} />
      </code>{' '}
      {field.isRequired && <small>{t.tools.required}</small>}
      {field.description !== '' && (
        <span class="faint">
          {' '}
          <Shown text={field.description} fold={200} />
        </span>
      )}
    </span>
  );
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  if (field.kind === 'boolean' || field.kind === 'choice') {
    return (
      <label>
        {label}
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{t.tools.notGiven}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      </label>
    );
  }
  return (
    <label>
      {label}
      {field.kind === 'json' ? (
        <textarea
          class="mono"
          rows={3}
          value={value}
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function fieldsOf(schema: unknown): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const one = isObject(property) ? property : {};
    const choices = Array.isArray(one.enum) && one.enum.every((choice) => typeof choice === 'string') ? one.enum : [];
    return {
      name,
      kind: choices.length > 0 ? 'choice' : kindOf(one.type),
      description: typeof one.description === 'string' ? one.description : '',
      isRequired: required.includes(name),
      choices,
    };
  });
}

function kindOf(type: unknown): Field['kind'] {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

/** Only what was given; undefined: something cannot be read. */
function argumentsOf(fields: readonly Field[], values: Values): Record<string, unknown> | undefined {
  const given: Record<string, unknown> = {};
  for (const { name, kind, isRequired } of fields) {
    const value = values[name] ?? '';
    if (value === '' && !(isRequired && kind === 'text')) continue;
    if (kind === 'number') {
      if (Number.isNaN(Number(value))) return undefined;
      given[name] = Number(value);
    } else if (kind === 'boolean') given[name] = value === 'true';
    else if (kind === 'json') {
      try {
        given[name] = JSON.parse(value);
      } catch {
        return undefined;
      }
    } else given[name] = value;
  }
  return given;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
